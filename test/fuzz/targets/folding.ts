import { parseQuery } from '../../../src/sources/search/expansion/query.ts'
import { fold, medial } from '../../../src/sources/text/fold.ts'
import {
  hebrewSkeleton,
  hebrewTerm,
  withoutPrefixes,
  withPrefixes,
} from '../../../src/sources/text/hebrew.ts'
import { skeletonOf, tokenize, wordsOf } from '../../../src/sources/text/tokens.ts'
import { require, type Target } from '../target.ts'

/** Folds Hebrew and English words, on which search and the verification of quotations depend. */
export const folding: Target = {
  name: 'folding',
  covers: ['/src/sources/'],
  most: 2 * 1024,
  seeds: [
    'וְנֶפֶשׁ הַשֵּׁנִית בְּיִשְׂרָאֵל הִיא חֵלֶק אֱלוֹהַּ מִמַּעַל מַמָּשׁ',
    'רבי נחמן מברסלב זצ״ל אמר: "אין שום יאוש בעולם כלל"',
    'The beinoni’s divine soul — G-d’s own part (chelek Eloka mimaal mamash).',
    'הקב"ה, ר\' זושא, אדמו״ר־הזקן',
    'Tzaddikim ha-tzaddik chassidus chasidut İstanbul ﷺ ﬁne',
  ],
  dictionary: [
    '\u0591',
    '\u05b8',
    '\ufb2a',
    '\u0301',
    '\u200f',
    ...`״ ׳ " '' ־ ם ץ ו ה וכשה 's G-d ﬀ`.split(' '),
  ],
  check(input) {
    const text = input.toString('utf8')
    const { folded, offsets } = fold(text)
    require(offsets.length === folded.length + 1, 'each letter has its place', offsets.length, folded.length)
    require(offsets.every(
      (at, i) => at >= (offsets[i - 1] ?? 0) && at <= text.length,
    ), 'places rise', offsets)
    require(!/^ | $| {2}/.test(folded), 'one blank between words, none at the ends', folded)
    require(medial(folded) === folded, 'no final letters stay', folded)
    const again = fold(folded).folded
    require(again === folded, 'folding a folded text changes nothing', folded, again)
    let last = 0
    for (const { start, end, term } of tokenize(text)) {
      require(last <= start &&
        start < end &&
        end <= text.length &&
        term !== '', 'words stand in order', start, end, term)
      last = end
      skeletonOf(term)
      hebrewSkeleton(term)
      require(hebrewTerm(term).length <= term.length + 4, 'terms do not grow', term)
      require([...withoutPrefixes(term), ...withPrefixes(term)].length < 200, 'a word has few forms', term)
    }
    require(wordsOf(text).length === tokenize(text).length, 'both count the same words')
    parseQuery(text)
  },
}
