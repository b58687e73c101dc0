import { headingKey } from '../../text/heading-keys.ts'
import type { AddressRun } from './addresses.ts'
import type { TextWord } from './text-words.ts'
import { endsClause } from './written-address.ts'

/** Things that a number counts, in the form of heading keys. */
const counted =
  /^(?:(?:year|month|week|day|hour|minute|second|time|page|chapter|part|edition|copy|copie|letter|section|volume|line|word|verse|class|classe|lesson|session|soul|level|people|person|student|men|dollar|percent)s?|th|st|nd|rd|am|pm|of|שנה|שנימ|שנות|שעה|שעות|דקות|דקה|ימימ|ימי|יומ|שבועות|חודשימ|חודש|פעמימ|פעמ|אנשימ|איש|דברימ|פרקימ|פרקי|דפימ|דפי|עמודימ|עמודי|ספרימ|חלקימ|כרכימ|עותקימ|שיעורימ|תלמידימ|אחוז|אחוזימ|שקל|שקלימ|בשבט|ניסנ|אייר|סיונ|תמוז|אב|אלול|תשרי|חשונ|כסלו|טבת|שבט|אדר)$/

/** Whether a number without a unit is a year or counts what follows. */
export function isAmount(words: readonly TextWord[], run: AddressRun, to = run.from + 1): boolean {
  const digits = words[run.from]?.text ?? ''
  return /^1[5-9]\d\d$|^20\d\d$|^5\d{3}$/.test(digits) || counted.test(words[to]?.key ?? '')
}

/** Whether the number that ends at an offset counts the word after it: `30 years`. */
export function countsNext(text: string, end: number): boolean {
  const next = /^ ([\p{L}\p{M}]{1,20})/u.exec(text.slice(end, end + 22))?.[1]
  return next !== undefined && counted.test(headingKey(next))
}

/** Words with which a sentence goes on after a ref, in the form of heading keys. */
const goesOn = new Set(
  (
    'say says said teach teaches taught explain explains explained describe describes described speak speaks discuss ' +
    'discusses tell tells write writes written state states mean means begin begins end ends open opens deal deals read ' +
    'reads has is are was and or on about regarding concerning that which where when who whose how what why with as but ' +
    'also then so because while if we he she it they the a this there in from to by for not does do can may must will ' +
    'כתוב נאמר מבואר מבאר מבארת אומר אומרת כותב כותבת כתב אמר מסביר מסבירה מלמד מלמדת מובא הוא היא כי על את מה למה איכ ' +
    'מדוע כיצד האמ וכנ ועוד וגמ שמ שהוא שיש לגבי אודות בעניינ בענינ ביאר פירש מפרש עוסק מדבר'
  ).split(' '),
)

/** Whether the words after an address show that its number is not part of them: the clause ends, or a verb follows. */
export function goesOnAfter(text: string, words: readonly TextWord[], to: number, end: number): boolean {
  return endsClause(text, end) || goesOn.has(words[to]?.key ?? '')
}
