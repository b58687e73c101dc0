import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ServerClock } from '../../src/db/server-clock.ts'

test('without an answer of the server nobody knows its time', () => {
  expect(new ServerClock().now()).toBeUndefined()
})

test('the time goes on from the last answer, whatever the clock of this machine says, and is never ahead of the server', async () => {
  const clock = new ServerClock()
  const then = performance.now()
  // A server in another year, whose answer took 50 ms.
  const said = new Date('2031-05-05T05:05:05.000Z')
  await delay(50)
  clock.note(said)
  const noted = performance.now()
  const now = clock.now()?.getTime() ?? 0
  expect(now).toBeLessThanOrEqual(said.getTime() + (performance.now() - then))
  expect(now).toBeGreaterThanOrEqual(Math.floor(said.getTime()))
  expect(now).toBeLessThanOrEqual(said.getTime() + Math.ceil(performance.now() - noted) + 1)
})
