import { expect, test } from 'vitest'
import { plainName, requiredName } from '../../src/names/names.ts'

const disguises = ['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069']
const unseen = ['\u00ad', '\u200b', '\u2060', '\u2063', '\ufeff', '\u3164', '\u{e0041}']

test.each([...disguises, ...unseen])('a name loses the invisible character %j', (character) => {
  expect(plainName(`gpj${character}.exe`)).toBe('gpj.exe')
  expect(plainName(` ${character} gpj.exe${character} `)).toBe('gpj.exe')
})

test.each([
  'שיעור\u200f (2)',
  'Tanya\u200e 32',
  'נְקֻדּ\u034fוֹת',
  'نامه\u200cها',
  '👨\u200d👩\u200d👧',
  '❤\ufe0f',
])('the name %j keeps what its script needs', (name) => {
  expect(plainName(name)).toBe(name)
})

test.each(['\0', '\n', '\r', '\t', '\u001b', '\u007f', '\u0085', '\u009b', '\u2028', '\u2029'])(
  'a name with the control character %j is refused, and its field is named',
  (character) => {
    expect(() => plainName(`a${character}b`, 'title')).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        param: 'title',
        message: expect.stringMatching(/`title`.*control/),
      }),
    )
  },
)

test.each(['', ' ', '\u200f', '\u202e', ' \u200b\u200e ', '\u3164', '\ufe0f'])(
  'the name %j shows nothing',
  (name) => {
    expect(plainName(name)).toBe('')
    expect(() => requiredName(name)).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'name' }),
    )
  },
)

test('half a surrogate pair in a name becomes a replacement character', () => {
  expect(plainName('a\ud800b')).toBe('a\ufffdb')
})
