import { expect, test } from 'vitest'
import { shortRefs } from '../../src/web/pages/library/reader/short-ref.ts'

const likkutei = 'Tanya, Part I; Likkutei Amarim'
const heLikkutei = 'תניא, חלק א׳; ליקוטי אמרים'

test.each([
  ['a passage of the chapter', `${likkutei} 32`, `${likkutei} 32:5`, `${heLikkutei} ל״ב:ה׳`, '5', 'ה׳'],
  [
    'a passage of another chapter',
    `${likkutei} 32`,
    `${likkutei} 33:1`,
    `${heLikkutei} ל״ג:א׳`,
    '33:1',
    'ל״ג:א׳',
  ],
  ['a chapter that begins alike', 'Steps 1', 'Steps 12:3', 'צעדים י״ב:ג׳', '12:3', 'י״ב:ג׳'],
  ['a page of the Talmud', 'Berakhot 2a', 'Berakhot 2a:7', 'ברכות ב׳ א:ז׳', '7', 'ז׳'],
  ['a piece of a long text', 'My Book 1', 'My Book 1 §2', 'ספרי א §ב', '§2', '§ב'],
  ['a piece in a chapter', 'My Book 1', 'My Book 1:5 §2', 'ספרי א׳:ה׳ §ב', '5 §2', 'ה׳ §ב'],
  ['an entry of a lexicon', 'Concepts, Bitul', 'Concepts, Bitul 1', 'מושגים, ביטול א', '1', 'א'],
  ['a passage without Hebrew', 'Essays 1', 'Essays 1:2', '', '2', ''],
  [
    'a passage of another part',
    'Essays, East 1',
    'Essays, West 1:2',
    'מסות, מערב א׳:ב׳',
    'Essays, West 1:2',
    'מסות, מערב א׳:ב׳',
  ],
  ['a Hebrew ref of another form', 'Essays 1', 'Essays 1:2', '<img src=x>', '2', '<img src=x>'],
  [
    'a passage that is the whole section',
    'The Wall, North',
    'The Wall, North',
    'החומה',
    'The Wall, North',
    'החומה',
  ],
])('%s is shown by its number, and its whole ref stays', (_, section, en, he, shown, heShown) => {
  const short = shortRefs({ en, he }, section)
  expect([short.en.shown, short.he.shown]).toEqual([shown, heShown])
  expect([short.en.known + short.en.shown, short.he.known + short.he.shown]).toEqual([en, he])
})
