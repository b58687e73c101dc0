import { expect, test } from 'vitest'
import { ServerClock } from '../../../src/turns/store/server-clock.ts'

test('before the first answer of the server its time is long ago', () => {
  expect(new ServerClock().now()).toEqual(new Date(0))
})

test('an answer that a busy event loop reads late does not make the clock slow', () => {
  let local = 1_000
  const clock = new ServerClock(() => local)
  const serverAt = (ms: number) => new Date(1_900_000_000_000 + ms)
  clock.note(serverAt(local))
  local += 1_000
  const sentAt = local
  local += 400
  clock.note(serverAt(sentAt))
  expect(clock.now()).toEqual(serverAt(local))
})

test('a server whose clock was set back is believed after five seconds', () => {
  let local = 0
  const clock = new ServerClock(() => local)
  clock.note(new Date(1_900_000_000_000))
  local = 5_000
  clock.note(new Date(1_800_000_000_000))
  expect(clock.now()).toEqual(new Date(1_800_000_000_000))
})

test('the time goes on from the last answer, whatever the clock of this machine says', () => {
  let local = 7
  const clock = new ServerClock(() => local)
  clock.note(new Date('2031-05-05T05:05:05.000Z'))
  local += 1_500
  expect(clock.now()).toEqual(new Date('2031-05-05T05:05:06.500Z'))
})
