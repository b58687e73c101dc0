import { expect, test } from 'vitest'
import { spanOf } from '../../src/sources/refs/grammar/ref-parts.ts'
import { scriptRuns } from '../../src/workspace/sheets/script-runs.ts'
import { directionOf, labelOf, printable, versionsOf } from '../../src/workspace/sheets/sheet.ts'
import { pointed, sheet, source, version } from '../support/sheets.ts'

test('a text has the direction of its first letter, whatever stands before it', () => {
  expect(directionOf('12. "(אור) light')).toBe('rtl')
  expect(directionOf('12. "(light) אור')).toBe('ltr')
  expect(directionOf('123')).toBe('ltr')
})

test('refs of a range are put together where they are alike, with whole numbers', () => {
  expect(spanOf('Tanya 32:1', 'Tanya 32:1')).toBe('Tanya 32:1')
  expect(spanOf('Tanya 32:1', 'Tanya 32:15')).toBe('Tanya 32:1–15')
  expect(spanOf('Tanya 31:9', 'Tanya 32:1')).toBe('Tanya 31:9–32:1')
  expect(spanOf('תניא ל״ב:א׳', 'תניא ל״ב:ט׳')).toBe('תניא ל״ב:א׳–ט׳')
  expect(spanOf('Alpha', 'Beta')).toBe('Alpha – Beta')
  expect([labelOf('Tanya 32:15'), labelOf('תניא ל״ב:ט׳'), labelOf('Alpha')]).toEqual(['15', 'ט׳', ''])
})

test('what no document may hold is taken out of a text, and its lines are kept', () => {
  expect(printable(' a\r\nb\u0000\u000b\ud800\uffff\tc\u2028d ')).toBe('a\nb\ufffd c\nd')
})

test('runs of the other script begin and end with its letters and lose no text', () => {
  const runs = scriptRuns(pointed, 'rtl')
  expect(runs.map(({ text }) => text).join('')).toBe(pointed)
  expect(runs.filter(({ direction }) => direction === 'ltr').map(({ text }) => text)).toEqual([
    'Book of Lamps',
  ])
  expect(scriptRuns('see the book (ספר, הנרות ז״ל), p. 3 וגו׳.', 'ltr')).toEqual([
    { text: 'see the book (', direction: 'ltr' },
    { text: 'ספר, הנרות ז״ל', direction: 'rtl' },
    { text: '), p. 3 ', direction: 'ltr' },
    { text: 'וגו׳', direction: 'rtl' },
    { text: '.', direction: 'ltr' },
  ])
  expect(scriptRuns('פרק ABC 12, סוף', 'rtl')[1]).toEqual({ text: 'ABC 12', direction: 'ltr' })
})

test('each version is listed once, with all sources that show it', () => {
  const other = version('en', { title: 'Another' })
  const sources = [source(), source({ versions: [version('he'), other] })]
  expect(versionsOf(sheet({ sources })).map(({ title, sources }) => [title, sources])).toEqual([
    ['Vocalised edition', [1, 2]],
    ['Plain translation', [1]],
    ['Another', [2]],
  ])
})
