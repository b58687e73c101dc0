import { ServiceError } from '../../../src/errors.ts'
import { namesTag, parseRange } from '../../../src/http/transfers/download.ts'
import { cleanFileName, contentTypeOf, endingOf } from '../../../src/workspace/documents/file-names.ts'
import { require, type Target } from '../target.ts'

/** Names of files, paths with names, and headers for byte ranges. */
export const names: Target = {
  name: 'names',
  covers: ['/src/workspace/', '/src/http/'],
  most: 2 * 1024,
  seeds: [
    ...['notes.md', '../../etc/passwd', 'C:\\Users\\x\\קובץ.docx', 'a\u202egpj.exe', '/abs/..'],
    ...['bytes=0-1', 'bytes=-5', 'W/"abc", "def", *', '. '],
  ],
  dictionary: [
    ...['\0', '\u202e', '\u2028', '\ufeff', ' ', 'e\u0301'],
    ...'../ ..\\ / \\ %2e%2e%2f . bytes= - , " ．．／'.split(' '),
  ],
  check(input) {
    const text = input.toString('utf8')
    try {
      const name = cleanFileName(text)
      require(!/[/\\]|\p{Cc}|[\u2028\u2029]|\p{Bidi_Control}/u.test(
        name,
      ), 'a name is a label and no path', name)
      require(name.isWellFormed() &&
        name === name.trim() &&
        name !== '.' &&
        name !== '..', 'a name is whole', name)
      require([...name].length <= 200, 'a name is short', name.length)
      require(cleanFileName(name) === name, 'a clean name stays as it is', name, cleanFileName(name))
      require(/^[\w.+-]+\/[\w.+-]+(; charset=utf-8)?$/.test(
        contentTypeOf(name),
      ), 'a type is a header', contentTypeOf(name))
      endingOf(name)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_value') throw error
    }
    for (const size of [0, 1, 1_000]) {
      const range = parseRange(text, size)
      if (typeof range === 'object')
        require(0 <= range.start &&
          range.start < range.end &&
          range.end <= size, 'a range lies within', range, size)
    }
    namesTag(text, '"abc"')
  },
}
