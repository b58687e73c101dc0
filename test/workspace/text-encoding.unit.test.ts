import { expect, test } from 'vitest'
import { kindOf } from '../../src/workspace/documents/kinds.ts'
import { decodedText, encodingOf } from '../../src/workspace/documents/text-encoding.ts'

const hebrew = 'ונפש השנית בישראל היא חלק אלוה ממעל ממש, ככתוב: ויפח באפיו נשמת חיים'
/** Hebrew letters in windows-1255 and ISO 8859-8, other characters as they are. */
const inWindows = (text: string): Buffer =>
  Buffer.from(
    text.replace(/[א-ת]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x4f0)),
    'latin1',
  )
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

test.each([
  ['UTF-8', Buffer.from(hebrew), hebrew],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${hebrew}`), hebrew],
  ['UTF-16 with a mark', Buffer.from(`\ufeff${hebrew}`, 'utf16le'), hebrew],
  ['UTF-16 of the other order with a mark', utf16be(`\ufeff${hebrew}`), hebrew],
  ['UTF-16 without a mark', Buffer.from('a,b\r\nשלום,עולם\r\n', 'utf16le'), 'a,b\r\nשלום,עולם\r\n'],
  ['UTF-16 of the other order without a mark', utf16be('Just words.'), 'Just words.'],
  ['the Hebrew of Windows', inWindows(hebrew), hebrew],
  ['two Hebrew words of Windows', inWindows('שם,מקום\n'), 'שם,מקום\n'],
  [
    'Hebrew of Windows among English',
    inWindows(`The Tanya (חלק אלוה ממעל) says so: שלום.`),
    'The Tanya (חלק אלוה ממעל) says so: שלום.',
  ],
])('a text in %s is decoded', (_, content, text) => {
  expect(decodedText(content)).toBe(text)
  expect(kindOf(content, { name: 'a.csv', contentType: 'text/csv' })).toBe('text')
})

test.each([
  [
    'French',
    'L\xe9t\xe9 dernier, j\xe2i d\xe9j\xe0 mang\xe9 \xe0 la fran\xe7aise. O\xf9 \xeates-vous n\xe9 ?',
  ],
  ['German', '\xdcber die Stra\xdfe gehen, gr\xf6\xdfer als m\xf6glich.'],
  // Привет, мир. Это проба текста. In windows-1251, where its letters are those of Hebrew.
  [
    'Russian',
    '\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0. \xdd\xf2\xee \xef\xf0\xee\xe1\xe0 \xf2\xe5\xea\xf1\xf2\xe0.',
  ],
  ['one Hebrew word', '\xf9\xec\xe5\xed'],
  ['Hebrew with a byte of no character', '\xf9\xed \xee\xf7\xe5\xed \xff\xfc'],
  ['one bad byte', 'hello \xff world'],
  ['an old code page of DOS', '\x99\x8c\x85\x8d \x92\x85\x8c\x8d'],
])('a text whose encoding is not certain, %s, is refused with the remedy', (_, bytes) => {
  const content = Buffer.from(bytes, 'latin1')
  expect(decodedText(content)).toBeUndefined()
  expect(kindOf(content, { name: 'a.txt', contentType: 'text/plain' })).toEqual({
    problem: 'It is a text in an encoding that cannot be told. Save it as UTF-8.',
  })
})

test('a head that ends within a character is a text', () => {
  for (const content of [Buffer.from(hebrew), Buffer.from(hebrew, 'utf16le')])
    expect(encodingOf(content.subarray(0, 21), true)).toBeDefined()
})
