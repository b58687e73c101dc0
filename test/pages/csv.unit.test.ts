import { expect, test } from 'vitest'
import { csvRecord } from '../../src/web/pages/usage/usage-csv.ts'
import { textsIn } from '../../src/web/texts/catalogue.ts'

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\uff1d1'])(
  'a text that begins like a formula (%j) begins with an apostrophe',
  (text) => {
    expect(csvRecord([text])).toMatch(/^"'/)
  },
)

test.each([';', '|', '\t', '\n', '; ', ';"'])(
  'no formula begins behind the separator %j within a text',
  (separator) => {
    for (const line of csvRecord(['a', `a${separator}=1+1`, `a${separator}@x`]).split(/[;|\t\r\n]/)) {
      expect(line).not.toMatch(/^[ "]*[=+\-@]/)
    }
  },
)

test('numbers, dashes within words and plain texts stay as they are', () => {
  expect(csvRecord([-1.5, { decimal: '-0.000001' }, 'well-known', 'a; b', ''])).toBe(
    '-1.5,-0.000001,well-known,"a; b",\r\n',
  )
})

test.each([
  [0, '< 0.1 s'],
  [50, '0.1 s'],
  [59_949, '59.9 s'],
  [59_950, '1 min 0 s'],
  [119_600, '2 min 0 s'],
  [125_000, '2 min 5 s'],
])('a duration of %d ms reads %s', (ms, text) => {
  expect(textsIn('en').duration(ms)).toBe(text)
})
