import type { Executor } from '../../../db/client.ts'
import { maxRangePassages } from '../../library/load-passages.ts'
import { nearestRefs } from '../nearest-refs.ts'
import { resolveRef } from '../ref-lookup.ts'
import type { FindOptions, FoundRef } from './find-refs.ts'
import { countsNext } from './number-context.ts'
import { TitledText } from './titled-text.ts'
import type { TitleInText } from './titles-in-text.ts'

/** Maximum number of parts; each needs one or two queries. */
const maxParts = 40

type Part = Pick<FoundRef, 'start' | 'end' | 'asked'> & { readonly isSure: boolean }

/** Matches `the entry Tefillah in ` before the title of a work, and `בערך תפילה ב` in Hebrew. */
const entryBefore =
  /(?:\b(?:the )?entry (?:on )?["“‘'*_]{0,3}([^"”’'.,;:()\n*_]{2,60})["”’'*_]{0,3} (?:in|of) (?:the )?|ערך ["“״*_]{0,3}([^"”.,;:()\n*_]{2,40})["”״*_]{0,3} (?:שב|ב))["“‘'*_]{0,3}$/iu

/** Matches `(Tefillah, in ` and `(“Tefillah,” ` before the title of a work, in brackets that end with it. */
const bracketBefore =
  /[([]["“‘'*_]{0,3}([\p{Lu}א-ת][^"“”’'.,;:()[\]\n*_]{1,59}),?["”’'*_]{0,3},? (?:in )?(?:the )?["“‘'*_]{0,3}$/u

/** Matches `, s.v. Tefillah` and ` ערך תפילה` behind the title of a work. */
const entryBehind =
  /^[*_]{0,3},? (?:s\.v\.|the entry|entry|[בש]?ערך) ["“‘״'*_]{0,3}([^"“„«”’״'.,;:()[\]\n*_]{2,40})["”’״'*_]{0,3}(?=[)\].,;:]|\s?[—–-]|\s["“„«]|\n|$)/iu
/**
 * Matches a part that the library may not have: after a comma, capitalised or Hebrew words and a number. A Hebrew
 * number is one letter with a geresh or a word with gershayim, because other short words are ordinary words.
 */
const numberedPart =
  /^, (?:(?:\p{Lu}[\p{L}'’-]*(?: (?:of|the|on|ha))? ){1,6}\d{1,3}(?:[:.]\d{1,4})*[a-d]?(?![\p{L}\p{N}])|(?:[א-ת]["'״׳א-ת]*[א-ת] ){1,4}(?:[א-ת]{1,2}["״][א-ת](?![א-ת])|[א-ת]['׳]?(?=[:.,;)?!]|$|\s["“„”«‹'‘״])))/u

const anyNumberedPart = new RegExp(numberedPart.source.slice(1), 'u')

/**
 * Finds named parts of works: `Work, Part` without a number, `the entry Part in Work`, `Work, s.v. Part`, and numbered parts that the
 * library does not have.
 * @param found the refs found in the text. Parts that overlap one of them are left out.
 * @param options.numbersOnly finds only numbered parts. Then a text without numbers causes no query.
 * @throws database errors.
 */
export async function partsInText(
  executor: Executor,
  whole: string | TitledText,
  found: readonly FoundRef[],
  { numbersOnly = false }: Pick<FindOptions, 'numbersOnly'> = {},
): Promise<readonly FoundRef[]> {
  const titled = TitledText.of(executor, whole)
  if (numbersOnly && !anyNumberedPart.test(titled.text)) return []
  const { text } = await titled.words()
  const longest = [...Map.groupBy(await titled.titles(), ({ from }) => from).values()]
  const parts: Part[] = []
  let end = 0
  for (const atWord of longest) {
    const part = numbersOnly ? numberedPartOf(text, atWord) : partOf(text, atWord)
    if (part === undefined || part.start < end || overlaps(part, found)) continue
    parts.push(part)
    end = part.end
    if (parts.length === maxParts) break
  }
  const looked = await Promise.all(parts.map((part) => lookUp(executor, text, part)))
  return looked.filter((ref) => ref !== undefined)
}

function overlaps(part: Part, found: readonly FoundRef[]): boolean {
  return found.some(({ start, end }) => start < part.end && part.start < end)
}

/** @param titles titles that begin at the same word, longest first. */
function partOf(text: string, titles: readonly TitleInText[]): Part | undefined {
  const [longest] = titles
  if (longest === undefined || !longest.isExact) return undefined
  const { start, end } = longest
  const title = text.slice(start, end)
  if (title.includes(',')) return { start, end, asked: title, isSure: false }
  const before = text.slice(Math.max(0, start - 90), start)
  const entry = entryBefore.exec(before)
  const name = entry?.[1] ?? entry?.[2]
  if (entry !== null && name !== undefined)
    return { start: start - before.length + entry.index, end, asked: `${title}, ${name}`, isSure: true }
  const bracket = /^["”’'*_]{0,3}[)\]]/.test(text.slice(end, end + 4)) ? bracketBefore.exec(before) : null
  if (bracket !== null)
    return {
      start: start - bracket[0].length + 1,
      end,
      asked: `${title}, ${bracket[1] ?? ''}`,
      isSure: false,
    }
  return entryBehindOf(text, longest) ?? numberedPartOf(text, titles)
}

function entryBehindOf(text: string, { start, end }: TitleInText): Part | undefined {
  const entry = entryBehind.exec(text.slice(end, end + 70))
  // In small letters it is a verb: `The Tanya entry says “…”`.
  if (entry === null || /^\p{Ll}/u.test(entry[1] ?? '')) return undefined
  const asked = `${text.slice(start, end)}, ${entry[1] ?? ''}`
  return { start, end: end + entry[0].length, asked, isSure: true }
}

function numberedPartOf(text: string, [longest]: readonly TitleInText[]): Part | undefined {
  // After a word such as `Numbers`, names with a number are no part of a book.
  if (longest === undefined || !longest.isExact || longest.isWord) return undefined
  const { start, end } = longest
  if (text.slice(start, end).includes(',')) return undefined
  const numbered = numberedPart.exec(text.slice(end, end + 120))
  if (numbered === null) return undefined
  const to = end + numbered[0].length
  return countsNext(text, to) ? undefined : { start, end: to, asked: text.slice(start, to), isSure: true }
}

async function lookUp(executor: Executor, text: string, part: Part): Promise<FoundRef | undefined> {
  const { start, end, asked, isSure } = part
  const named = { start, end, asked, written: text.slice(start, end) }
  const place = await resolveRef(executor, asked)
  // A whole book is too large to locate a quotation in, and is never read as a whole.
  if (place !== undefined && place.last - place.first >= maxRangePassages) return undefined
  if (place !== undefined) return { ...named, outcome: 'found', ref: asked, nearest: [] }
  if (!isSure) return undefined
  return { ...named, outcome: 'missing', ref: null, nearest: await nearestRefs(executor, asked) }
}
