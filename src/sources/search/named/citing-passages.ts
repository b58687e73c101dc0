import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { loadPassages } from '../../library/load-passages.ts'
import type { PassageRow } from '../../library/passage-row.ts'
import {
  citationsIn,
  nearness,
  type ScripturePlace,
  scripturePlace,
} from '../../refs/grammar/scripture-places.ts'
import { hebrewNumeral, toHebrewNumber } from '../../text/hebrew-numbers.ts'
import { tokenize } from '../../text/tokens.ts'
import { documentsWithAny } from '../phrases/phrase-search.ts'

/** Maximum number of passages per place. */
const maxCiting = 60
/** Maximum number of links of one chapter that are read, and of passages that they lead to. */
const maxLinks = 3_000
const maxLinked = 300
/** Maximum number of postings read for the names of a book or a number, and of texts read for citations. */
const maxPostings = 200_000
const maxTexts = 300

/**
 * Finds passages that cite a place of the Bible or the Talmud, by a link or by name and number in their text. Exact
 * citations come first, then citations of a larger range. A citation in the text returns the versions that have it, a
 * link returns all versions. It does not matter whether the library has the place itself.
 */
export async function citingPassages(
  executor: Executor,
  place: ScripturePlace,
): Promise<readonly PassageRow[]> {
  const linked = await linkedFrom(executor, place)
  const written = await citingTexts(executor, place)
  const docs = await documentsAt(executor, [...linked.keys()])
  const ranks = new Map(written)
  for (const { doc_id, from_ref } of docs)
    ranks.set(doc_id, Math.min(linked.get(from_ref) ?? 2, ranks.get(doc_id) ?? 2))
  const rows = await loadPassages(executor, [...ranks.keys()])
  const best = [...rows.values()].toSorted(
    (a, b) => (ranks.get(a.doc_id) ?? 2) - (ranks.get(b.doc_id) ?? 2) || a.doc_id - b.doc_id,
  )
  const refs = new Set([...new Set(best.map(({ ref }) => ref))].slice(0, maxCiting))
  return best.filter(({ ref }) => refs.has(ref))
}

/** Reads the refs that link to the place, each with its rank (see `nearness`). */
async function linkedFrom(executor: Executor, place: ScripturePlace): Promise<ReadonlyMap<string, number>> {
  const beginnings = linkBeginnings(place).map((beginning) => sql`starts_with(to_ref, ${beginning})`)
  const found = await executor.execute<{ from_ref: string; to_ref: string }>(sql`
    select from_ref, to_ref from links where ${sql.join(beginnings, sql` or `)}
    order by to_ref, from_ref limit ${maxLinks}`)
  const ranks = new Map<string, number>()
  for (const { from_ref, to_ref } of found.rows) {
    const cited = scripturePlace(to_ref)
    const rank = cited && nearness(cited, place)
    if (rank !== undefined) ranks.set(from_ref, Math.min(rank, ranks.get(from_ref) ?? rank))
  }
  const likeliest = [...ranks].toSorted(([, a], [, b]) => a - b).slice(0, maxLinked)
  return new Map(likeliest)
}

/**
 * Prefixes of links to the place: a name of the book and the number. Links with further digits are read and
 * discarded.
 */
function linkBeginnings({ book, number, side }: ScripturePlace): readonly string[] {
  const marked = hebrewNumeral(number)
  const inHebrew = [toHebrewNumber(number), marked, marked.replace('״', '"').replace('׳', "'")]
  return [
    ...book.english.flatMap((name) => [`${name} ${number}${side ?? ''}`]),
    ...book.hebrew.flatMap((name) => inHebrew.map((written) => `${name} ${written}`)),
  ]
}

/** Finds the documents at refs. For a text that an import has cut, all its pieces. */
async function documentsAt(
  executor: Executor,
  refs: readonly string[],
): Promise<readonly { readonly doc_id: number; readonly from_ref: string }[]> {
  if (refs.length === 0) return []
  const found = await executor.execute<{ doc_id: number; from_ref: string }>(sql`
    select t.doc_id, f.from_ref from (
      select id, ref as from_ref from passages where ref = any(${sql.param(refs)}::text[])
      union all
      select id, section_ref from passages
      where section_ref = any(${sql.param(refs)}::text[]) and starts_with(ref, section_ref || ' §')) f
      join passage_texts t on t.passage_id = f.id
    order by t.doc_id limit ${maxLinked * 4}`)
  return found.rows
}

/**
 * Finds texts that name the book and the number next to it. The index finds texts with both words; then the text
 * decides.
 */
async function citingTexts(
  executor: Executor,
  place: ScripturePlace,
): Promise<readonly (readonly [doc: number, rank: number])[]> {
  const named = await documentsWithFew(executor, nameTerms(place))
  if (named === undefined || named.size === 0) return []
  const numbered = await documentsWithFew(executor, numberTerms(place))
  const both = [...named].filter((doc) => !numbered || numbered.has(doc)).slice(0, maxTexts)
  if (both.length === 0) return []
  const texts = await executor.execute<{ doc_id: number; text: string }>(
    sql`select doc_id, text from passage_texts where doc_id = any(${sql.param(both)}::int[]) order by doc_id`,
  )
  return texts.rows.flatMap(({ doc_id, text }) => {
    const ranks = citationsIn(text, place.book).flatMap((cited) => nearness(cited, place) ?? [])
    return ranks.length === 0 ? [] : [[doc_id, Math.min(...ranks)] as const]
  })
}

const prefixes = ['', 'ב', 'ד', 'ו', 'כ', 'ל', 'מ', 'ה', 'ש', 'דב', 'שב', 'וב', 'מה', 'בה']

/** The longest word of each name. In Hebrew also with prefixes. */
function nameTerms({ book }: ScripturePlace): readonly string[] {
  const names = [
    ...book.english,
    ...book.hebrew.flatMap((name) => prefixes.map((prefix) => `${prefix}${name}`)),
  ]
  return names.flatMap((name) => {
    const [longest] = tokenize(name).toSorted((a, b) => b.term.length - a.term.length)
    return longest ? [longest.term] : []
  })
}

function numberTerms({ book, number }: ScripturePlace): readonly string[] {
  const numeral = toHebrewNumber(number)
  const leaves = book.division === 'leaf' ? [`${number}a`, `${number}b`] : [`פ"${numeral}`]
  const written = [String(number), numeral, `${numeral}'`, ...leaves]
  return written.flatMap((one) => tokenize(one).map(({ term }) => term))
}

/** The documents with any of these terms; undefined when there are too many. */
async function documentsWithFew(
  executor: Executor,
  terms: readonly string[],
): Promise<ReadonlySet<number> | undefined> {
  const distinct = [...new Set(terms)]
  const { rows } = await executor.execute<{ postings: number }>(sql`
    select coalesce(sum(documents), 0)::int as postings from search_postings
    where term = any(${sql.param(distinct)}::text[])`)
  return (rows[0]?.postings ?? 0) > maxPostings ? undefined : documentsWithAny(executor, distinct)
}
