import { anyOfRole } from '../../refs/grammar/text-words.ts'
import type { WorkInText } from '../../refs/in-text/works-in-text.ts'
import { cuesOf } from '../quotations/cues.ts'
import type { Quotation } from '../quotations/quotes.ts'
import { firstFrom } from '../quotations/spans.ts'

/** Words that may stand between the title of a work and the words that it is said to have: `the Tanya writes that “…”`. */
const words = cuesOf('work_says').join('|')
const marks = `[\\s“”"«„‘'״*_>\u2060]`
/** From the title to the quotation. The words end with a colon, a comma or a verb. */
const between = new RegExp(
  `^["”'’*_)]{0,3}(?:[’']s)?(?:[\\s,:—–-]+(?:${words}))*[\\s,:;—–-]*${marks}*$`,
  'iu',
)
/** With nothing but a sign between title and quotation, one of these stands before the title: `In the Tanya: “…”`. */
const cue = new RegExp(
  `(?:(?:^|[^\\p{L}])${anyOfRole('quotes-work')} (?:the )?(?:book |holy |sefer )?|(?:^|[^א-ת])${anyOfRole('quotes-work-he')} ?|(?:^|[^א-ת])(?:ש|ו|כמו ש|כמ["״]ש )?ב)["“'*_]{0,3}$`,
  'iu',
)
/** What stands before a title that is a label: `*Tanya*: “…”`. */
const label = /(?:^|[\n.!?׃|])[\s>*_#•\-–—\d.)]*(?:the |sefer |ספר )?["“'*_]{0,3}ה?$/iu
const colon = /:\s*["“”«„‘'״*_>\u2060]*$/u

/** From the quotation to the title: `“…” (Tanya)`, `“…” — the Tanya`, `“…”, says the Tanya`. */
const behind = new RegExp(
  `^["”“»״'’*_.,…\\u2060]{0,5}\\s*(?:(?<bracket>[([](?:${anyOfRole('before-bracketed')} )?(?:the |sefer )?)|(?<dash>[—–]\\s*|\\n+[ \\t]*[—–-]\\s*)(?:from |in )?(?:the |sefer )?|(?<verb>(?:as )?${anyOfRole('says-behind')} )(?:the |sefer |in the )?)["“'*_]{0,3}[הב]?$`,
  'iu',
)
const closes = {
  bracket:
    /^["”'*_.]{0,3}(?:(?:\s?[,:;>–—]| (?:on|to|ad|s\.v\.|על|ערך|ע["״]ע)\s)[^()[\]\n]{1,100})?\s?[)\]]/u,
  line: /^["”'*_]{0,3}[.,;:!?]?\s*(?:\n|$)/u,
  verb: /^[\s.,;:!?]|^$/u,
}

const farthest = 120

/**
 * Returns the work of which the text says that it has the quoted words, without naming a place: `the Tanya writes, “…”`,
 * `“…” (Tanya)`, `כתוב בתניא: "…"`. A work that is only mentioned near a quotation is not returned.
 * @param works in order, without overlaps.
 */
export function claimedWork(
  text: string,
  { start, end }: Quotation,
  works: readonly WorkInText[],
): WorkInText | undefined {
  const next = firstFrom(works, start)
  const before = works[next - 1]
  if (before !== undefined && introduces(text, before, start)) return before
  const after = works[firstFrom(works, end)]
  return after !== undefined && follows(text, end, after) ? after : undefined
}

function introduces(text: string, work: WorkInText, start: number): boolean {
  if (start - work.end > farthest || work.end > start) return false
  const gap = text.slice(work.end, start)
  if (!between.test(gap) || /\n\s*\n\s*\n/.test(gap)) return false
  if (/\p{L}{2}/u.test(gap.replace(/^[’']s/, ''))) return true
  const before = text.slice(Math.max(0, work.start - 30), work.start)
  return cue.test(before) || (colon.test(gap) && label.test(before))
}

function follows(text: string, end: number, work: WorkInText): boolean {
  if (work.start - end > farthest) return false
  const { bracket, dash, verb } = behind.exec(text.slice(end, work.start))?.groups ?? {}
  const rest = text.slice(work.end, work.end + farthest)
  if (bracket !== undefined) return closes.bracket.test(rest)
  if (dash !== undefined) return closes.line.test(rest)
  return verb !== undefined && closes.verb.test(rest)
}
