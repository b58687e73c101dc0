import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutPrefixes } from '../../../src/sources/text/hebrew.ts'
import { inflectionClasses } from '../../../src/sources/text/inflections.ts'
import { skeletonOf } from '../../../src/sources/text/tokens.ts'
import { times } from '../../support/full.ts'

/** The endings and the rules as regular expressions; the loops over letters must give the same classes. */
const feminine =
  /(?:יותיהמ|ותיהמ|ותיכמ|ותינו|יותיו|ותיו|ותיה|ותיכ|ותי|ותמ|תנו|תכמ|תמ|יות|ות|תי|תו|תה|תכ|ית|ת|ה)$/
const masculine = /(?:יהמ|יכמ|ינו|ייא|תי|יו|יה|יכ|ימ|ינ|יא|נו|המ|כמ|ו|י|א|כ)$/
const prefixes = [...'והבכלמשד', ...'וה וב וכ ול ומ וש וד שה שב של שכ שמ מה מש כש דה דב דל דכ'.split(' ')]

const bare = (stem: string) => stem.slice(0, 1) + stem.slice(1).replace(/[וי]/g, '')

function classOf(word: string): string {
  for (const [ending, sign] of [
    [feminine, 'ה'],
    [masculine, ''],
  ] as const) {
    const stem = word.replace(ending, '')
    if (stem !== word && bare(stem).length >= 2) return bare(stem) + sign
  }
  return bare(word)
}

const formsOf = (word: string) => [
  word,
  ...prefixes
    .filter((prefix) => word.startsWith(prefix) && word.length - prefix.length >= 3)
    .map((prefix) => word.slice(prefix.length)),
]

/** Words of letters that occur in prefixes and endings, and of others. */
const words = fc
  .array(fc.constantFrom(...'והבכלמשדתינאםץרק'), { minLength: 1, maxLength: 10 })
  .map((letters) => letters.join(''))

test('forms and classes of a word are those that the patterns give, in their order', () => {
  fc.assert(
    fc.property(words, (word) => {
      const classes = [...new Set(formsOf(word).map(classOf))].filter((one) => one.length >= 3)
      expect(withoutPrefixes(word)).toEqual(formsOf(word))
      expect(inflectionClasses(word)).toEqual(classes.map((one) => `~${one}`))
      const skeleton = word.slice(0, 1) + word.slice(1, -1).replace(/[וי]/g, '') + word.slice(1).slice(-1)
      expect(skeletonOf(word)).toBe(skeleton.length >= 3 ? skeleton : undefined)
    }),
    { numRuns: times(1_000, 5_000) },
  )
})
