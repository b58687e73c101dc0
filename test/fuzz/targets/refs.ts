import { findQuotations } from '../../../src/sources/citations/quotations/quotes.ts'
import { addressAt } from '../../../src/sources/refs/grammar/addresses.ts'
import {
  formatRef,
  headingOf,
  hebrewHeadingOf,
  parseRef,
  refReadings,
  sectionOf,
} from '../../../src/sources/refs/grammar/refs.ts'
import { wordsIn } from '../../../src/sources/refs/grammar/text-words.ts'
import { addressesIn } from '../../../src/sources/refs/in-text/titled-text.ts'
import { mayBeRef } from '../../../src/sources/refs/ref-lookup.ts'
import { require, type Target } from '../target.ts'

/** Refs as people and models write them, alone and within a text. */
export const refs: Target = {
  name: 'refs',
  covers: ['/src/sources/'],
  most: 4 * 1024,
  seeds: [
    'Tanya, Part I; Likkutei Amarim 32:4',
    'Likutei Moharan, Part II, 24:1-3',
    'תניא חלק א פרק ל״ב',
    'ליקוטי מוהר״ן תנינא כ״ד, א-ג',
    'Berakhot 2a-b',
    'As it says (Kuzari 1:1; 2:3) and “the soul of a Jew” in Tanya ch. 2. See also Zohar III, p. 12a.',
    'ראה תניא פ״ב, ושם: "נפש השנית בישראל היא חלק אלוה ממעל ממש" (תניא ב, א).',
    'Iggeret HaKodesh §20 ¶3',
  ],
  dictionary: [
    ...[' chapter ', ' ch. ', ' §', ' ¶', ', Part II', ' vol. 3', ' 2a', ' 1:1-3', '; ', 'פרק ', 'סימן '],
    ...['דף ', 'עמוד ב'],
    ...`: - – 0001 9999 ( ) ע״א ל״ב ט' תתקצ״ט ־ “ ” " ״`.split(' '),
    '\u200f',
  ],
  check(input) {
    const text = input.toString('utf8')
    const line = text.slice(0, 300)
    for (const reading of [parseRef(line), ...refReadings(line)]) {
      const canonical = formatRef(reading)
      require(typeof canonical === 'string' &&
        reading.address.every((part) => part !== ''), 'no empty number', reading)
      sectionOf(canonical)
      hebrewHeadingOf({ ref: canonical, heRef: line })
      require(headingOf(canonical).length <= canonical.length, 'a heading is a part of its ref', canonical)
    }
    mayBeRef(line)
    const { masked } = atOnce(addressesIn(text))
    require(masked.length === text.length, 'a masked text keeps its places', masked.length, text.length)
    const words = atOnce(wordsIn(masked))
    for (const from of words.keys())
      for (const end of addressAt(masked, words, from)?.ends ?? [])
        require(from < end && end <= words.length, 'an address lies in its text', from, end)
    for (const { start, end } of findQuotations(text, []).quotations)
      require(0 <= start && start <= end && end <= text.length, 'a quotation lies in its text', start, end)
  },
}

/** Runs a generator to its end without pauses; it yields wherever it may be interrupted. */
function atOnce<T>(work: Generator<undefined, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
