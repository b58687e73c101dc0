import { anyOfRole, eitherCaseOfRole } from '../../refs/grammar/text-words.ts'
import { headingKey } from '../../text/heading-keys.ts'
import { lazy } from '../../text/lazy.ts'
import { townGroups } from '../../vocabulary/names/people-names.ts'

/** What the words around a name say about it. */
export type BookCue = {
  /** Whether they call the name a book or name its author. */
  readonly isBook: boolean
  /** Whether they ask what the name says: `according to X`, `בX`. */
  readonly isSource: boolean
  /** Whether the sentence begins with the name and continues with a subject (`X on joy`), or compares it with another. */
  readonly isAbout: boolean
  /** Whether the sentence asks who wrote or printed it, and when. Vocabulary and texts may know that of a known work. */
  readonly isFact: boolean
}

const teacher = `(?:${anyOfRole('teacher-title')}(?:(?<=\\.)| )|(?:the )?(?:${anyOfRole('teacher-name')}|\\p{Lu}\\p{L}+er Re(?:bbe|v)))`

/** The patterns match the few words before or after a name. */
const bookBefore = new RegExp(
  `(?<!\\p{L})[בהש]{0,2}${eitherCaseOfRole('book')}(?: called| entitled| named)? (?:the )?["“”„״]?$`,
  'u',
)
const bookBehind = new RegExp(
  `^["”]?(?:,? (?:by|of|from) ${teacher}| (?:של |מאת |ל)${anyOfRole('teacher-he')}(?![א-ת]))`,
  'u',
)

const sourceBefore = new RegExp(
  `(?:\\b(?:${eitherCaseOfRole('asks-book')}|(?:[Ww]hat|[Hh]ow|[Ww]hy|[Ww]here) d(?:o|oes|id)|${eitherCaseOfRole('part-of-book')} of) (?:the |sefer |book )*["“]?` +
    `|(?:^|[^א-ת])(?:${anyOfRole('asks-book-he')} (?:ה?ספר )?ה?|[ושה]{0,2}[במ](?:ספר )?)["“”„״]?)$`,
  'u',
)
const sourceBehind = new RegExp(`^["”]? ${anyOfRole('book-says')}(?![\\p{L}])`, 'u')
const aboutBehind = new RegExp(`^["”]?(?:: | [–—-] |,? ${anyOfRole('book-is-about')}(?![\\p{L}]))`, 'u')

const written = anyOfRole('made-book')
const hebrewWritten = anyOfRole('made-book-he')
const factBefore = new RegExp(
  `(?:\\b(?:[Ww]ho ${written}|(?:[Aa]uthor|[Pp]rinter|[Ee]ditor) of) (?:the |sefer |book )*["“]?` +
    `|(?:^|[^א-ת])[וה]?${hebrewWritten}(?: לראשונה)?(?: את| של)?(?: ה?ספר)? ["“”„״]?ה?)$`,
  'u',
)
const factBehind = new RegExp(`^["”]? (?:(?:first )?${written}|${hebrewWritten})(?![\\p{L}])`, 'u')
const versusBehind = /^["”]? (?:vs\.?|versus) /
/** The words of a comparison and the first of two names, up to the second. */
const comparedBefore = new RegExp(
  `(?:\\b${eitherCaseOfRole('compares-two')} (?:[^.?!;]{1,60} (?:and|with|to|from) )?(?:the )?["“]?` +
    `|(?:^|[^א-ת])${anyOfRole('compares-two-he')} (?:בין )?(?:[^.?!;]{1,60} [לו]?)?["“”„״]?ה?)$`,
  'u',
)

const townKeys = lazy<ReadonlySet<string>>(() => new Set(townGroups.flat().map(headingKey)))
const englishTown = /^ of (\p{Lu}[\p{L}'’]+)/u
const firstHebrewWord = /^ ([א-ת"'׳״]+)/u

/** Whether a word says where somebody comes from: `מסאטמר`. */
export function isFromTown(word: string): boolean {
  return word.startsWith('מ') && townKeys().has(headingKey(word.slice(1)))
}

/**
 * Whether the town of its author follows the title, which distinguishes it from titles of equal name: `דברי יואל
 * מסאטמר`.
 */
function isOfTown(behind: string): boolean {
  const town = englishTown.exec(behind)?.[1]
  if (town !== undefined) return townKeys().has(headingKey(town))
  return isFromTown(firstHebrewWord.exec(behind)?.[1] ?? '')
}

/** Reads the cues around a name. `start` and `end` are UTF-16 offsets, `end` exclusive. */
export function bookCue(text: string, start: number, end: number): BookCue {
  const before = text.slice(Math.max(0, start - 50), start)
  const behind = text.slice(end, end + 40)
  return {
    isBook: bookBefore.test(before) || bookBehind.test(behind) || isOfTown(behind),
    isSource: (sourceBefore.test(before) || sourceBehind.test(behind)) && !/^ mean\b/.test(behind),
    isAbout:
      (/^["“„]?$/.test(text.slice(0, start)) && aboutBehind.test(behind)) ||
      versusBehind.test(behind) ||
      comparedBefore.test(text.slice(Math.max(0, start - 90), start)),
    isFact: factBefore.test(before) || factBehind.test(behind),
  }
}
