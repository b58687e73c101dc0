import v8 from 'node:v8'
import { expect, test } from 'vitest'
import { collect } from '../../src/operations/start-memory.ts'

const newSpaceBytes = () =>
  v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0

test('the collection after the start makes a grown young generation small again', () => {
  // Objects that survive let V8 enlarge the space for new ones.
  const kept: object[] = []
  for (let n = 0; n < 2_000_000; n += 1) kept.push({ n })
  expect(newSpaceBytes()).toBeGreaterThan(8 * 1024 * 1024)
  kept.length = 0
  collect()
  expect(newSpaceBytes()).toBeLessThanOrEqual(4 * 1024 * 1024)
})
