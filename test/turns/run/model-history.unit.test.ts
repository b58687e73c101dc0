import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { modelHistory } from '../../../src/turns/run/model-history.ts'
import { runningMs } from '../../support/running-clock.ts'

async function shown(content: string): Promise<string> {
  const [message] = await modelHistory([{ role: 'assistant', content, toolCalls: [] }], new Set())
  return String(message?.content)
}

test('the model sees earlier answers without citation numbers that are links', async () => {
  expect(await shown('Joy [1](https://a.test/1), as taught [2](/b[3](c).')).toBe('Joy, as taught.')
  expect(await shown('Joy [1](not a link) stays.')).toBe('Joy [1](not a link) stays.')
})

/** The longest time without a turn of the event loop while `work` runs. */
async function longestPause(work: () => Promise<unknown>): Promise<number> {
  let isOver = false
  let last = runningMs()
  const done = work().finally(() => {
    isOver = true
  })
  let longest = 0
  while (!isOver) {
    await setImmediate()
    const now = runningMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  await done
  return longest
}

test.each(['[1](', '[1](a', '【1', 'verified '])(
  'an earlier answer of 400,000 characters of "%s" does not hold the event loop',
  async (piece) => {
    const answer = piece.repeat(400_000 / piece.length)
    await shown(answer.slice(0, 40_000))
    expect(await longestPause(() => shown(answer))).toBeLessThan(250)
  },
)
