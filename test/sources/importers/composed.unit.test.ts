import { describe, expect, test } from 'vitest'
import { readComposed } from '../../../src/sources/importers/sefaria/format/composed-date.ts'
import { centuriesOf, parseYears, yearsOfCentury } from '../../../src/sources/periods/composed.ts'

const between = (from: number, to: number) => ({ from, to })

describe('the date in a record of Sefaria', () => {
  test.each([
    [{ compDate: [1786, 1796] }, between(1786, 1796)],
    [{ compDate: [1796] }, between(1796, 1796)],
    [{ compDate: '1791', errorMargin: '5' }, between(1786, 1796)],
    [{ compDate: '-800', errorMargin: '200' }, between(-1000, -600)],
    [{ compDate: 50, errorMargin: 100 }, between(-51, 150)],
    [{ compDate: [1796], errorMargin: 'some' }, between(1796, 1796)],
    [{ compDate: [0, 500] }, between(1, 500)],
  ])('of %j is %j', (record, years) => {
    expect(readComposed(record)).toEqual(years)
  })

  test.each([
    ...[{}, null, [], 'x'],
    ...['', 'c. 1796', [], [1796, 1786], 5556, [1, 2, 3], 1796.5, { en: 1796 }].map((compDate) => ({
      compDate,
    })),
  ])('of %j is unknown', (record) => {
    expect(readComposed(record)).toBeUndefined()
  })
})

test('years are read as one year or the first and the last one', () => {
  expect(parseYears(' 1790 – 1812 ')).toEqual({ from: 1790, to: 1812 })
  expect(parseYears('-500--450')).toEqual({ from: -500, to: -450 })
  for (const wrong of ['', '1812-1790', '0', '3000', '17960', '1796-', '-', '1796-1797-1798'])
    expect(parseYears(wrong)).toBeUndefined()
})

test('a work of several centuries belongs to each of them, and there is no century 0', () => {
  expect(centuriesOf({ from: 1790, to: 1812 })).toEqual([18, 19])
  expect(centuriesOf({ from: 1701, to: 1800 })).toEqual([18])
  expect(centuriesOf({ from: -150, to: 50 })).toEqual([-2, -1, 1])
  for (const century of [-40, -1, 1, 18]) expect(centuriesOf(yearsOfCentury(century))).toEqual([century])
})
