import { expect, test } from 'vitest'
import { kindOf } from '../../src/workspace/documents/kinds.ts'
import { decodeText } from '../../src/workspace/documents/text-encoding.ts'

/** The letters א to ת, and the points of Windows-1255, as one byte each. */
function old(text: string): Buffer {
  return Buffer.from(
    [...text].map((char) => {
      const code = char.codePointAt(0) ?? 0
      if (code >= 0x5d0 && code <= 0x5ea) return code - 0x5d0 + 0xe0
      return code >= 0x5b0 && code <= 0x5b9 ? code - 0x5b0 + 0xc0 : code
    }),
  )
}

const csv = 'שם,מקום\r\nמשה,מצרים 12\r\n'
const wide = Buffer.from(csv, 'utf16le')

test.each([
  ['Windows-1255', old(csv), csv],
  ['Windows-1255 with points', old('שָלוֹם לכם'), 'שָלוֹם לכם'],
  ['two words of it', Buffer.from('\xf9\xed,\xee\xf7\xe5\xed\n', 'latin1'), 'שם,מקום\n'],
  ['UTF-16 without a mark', wide, csv],
  ['UTF-16 from its big end without a mark', Buffer.from(wide).swap16(), csv],
  ['UTF-16 with a mark', Buffer.from(`\ufeff${csv}`, 'utf16le'), csv],
  ['UTF-8', Buffer.from(csv), csv],
])('a text in %s is read', (_, content, text) => {
  expect(decodeText(content)).toBe(text)
  expect(kindOf(content, { name: 'a.csv', contentType: 'text/csv' })).toBe('text')
})

const latin = (text: string) => Buffer.from(text, 'latin1')
/** Lower-case Cyrillic in Windows-1251, whose bytes are those of Hebrew letters in Windows-1255. */
const cyrillic = (text: string) =>
  Buffer.from([...text].map((char) => (char === ' ' ? 32 : char.charCodeAt(0) - 0x430 + 0xe0)))

test.each([
  ['French in Windows-1252', latin('Le caf\xe9 est \xe0 c\xf4t\xe9')],
  ['German', latin('\xdcber sch\xf6ne H\xe4user')],
  ['accents alone', latin('\xe0 \xe9 \xf4')],
  ['Russian in Windows-1251', cyrillic('нет ни одного слова')],
  ['Hebrew in visual order', Buffer.from(old('שלום לכם אנשים')).reverse()],
  ['one byte of Hebrew', old('א')],
  ['UTF-8 with a wrong byte', Buffer.concat([Buffer.from('שלום'), Buffer.from([0xff, 0xe0])])],
  ['bytes of no text', Buffer.from([0x80, 0x81, 0xfe, 0xff, 0x90, 0x12])],
])('%s is not taken for Hebrew', (_, content) => {
  expect(decodeText(content)).toBeUndefined()
})
