import { expect, it } from 'vitest'
import type { Executor } from '../../../src/db/client.ts'
import { findRefs } from '../../../src/sources/refs/in-text/find-refs.ts'

/** A library without texts that answers at once, so that only the reading of the text lets the event loop turn. */
const emptyLibrary = { execute: async () => ({ rows: [] }) } as unknown as Executor

it('a search for refs lets the event loop turn while it reads a long text', async () => {
  let turns = 0
  let next = setImmediate(function count() {
    turns += 1
    next = setImmediate(count)
  })
  await findRefs(emptyLibrary, 'שמות ועוד (פרק ה) '.repeat(3_000))
  clearImmediate(next)
  expect(turns).toBeGreaterThan(5)
})
