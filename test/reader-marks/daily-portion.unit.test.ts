import { expect, test } from 'vitest'
import { dayOf, portionOf } from '../../src/reader-marks/daily-portion.ts'

test('each day has the next portion, and the first one follows the last', () => {
  const days = ['2026-11-23', '2026-11-24', '2026-11-25', '2026-11-26', '2026-11-29']
  expect(days.map((day) => portionOf('2026-11-23', day, 3))).toEqual([
    { index: 0, round: 1 },
    { index: 1, round: 1 },
    { index: 2, round: 1 },
    { index: 0, round: 2 },
    { index: 0, round: 3 },
  ])
})

test('the leap day and the change of clocks count as one day each', () => {
  expect(portionOf('2028-02-28', '2028-03-01', 100)).toEqual({ index: 2, round: 1 })
  expect(portionOf('2026-03-28', '2026-03-30', 100)).toEqual({ index: 2, round: 1 })
})

test('there is no portion before the first day, on no day, and in no work', () => {
  expect(portionOf('2026-11-23', '2026-11-22', 3)).toBeUndefined()
  for (const day of ['2026-02-30', '2026-13-01', 'tomorrow', ''])
    expect(portionOf(day, '2026-11-23', 3)).toBeUndefined()
  expect(portionOf('2026-11-23', '2026-11-23', 0)).toBeUndefined()
})

test('the day of an instant is that of UTC', () => {
  expect(dayOf(new Date('2026-11-23T23:59:59.999Z'))).toBe('2026-11-23')
  expect(dayOf(new Date('2026-11-24T01:00:00+02:00'))).toBe('2026-11-23')
})
