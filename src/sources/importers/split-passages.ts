import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { PassageRef } from '../index/passage-ref.ts'
import { hebrewPieceRef, pieceRef } from '../refs/grammar/pieces.ts'

/** Target words per passage: long enough for a thought, short enough to be quoted and compared. */
const targetWords = 120

/** Texts up to this length stay whole, because two short pieces would be less useful. */
const maxUnsplitWords = 180

/** Matches the end of a sentence or paragraph, with the white space after it. */
const sentenceEnd = /(?<=[.!?:;׃…]["'”’׳״)\]]*)\s+|\n+/u

/** Number of passages into which a text is cut. */
export function passageCount(text: string): number {
  const words = countWords(text)
  return words <= maxUnsplitWords ? 1 : Math.max(2, Math.round(words / targetWords))
}

/**
 * Cuts a text into at most `parts` pieces of about equal length. It cuts at ends of sentences, or between words if a
 * sentence is longer than a piece. The pieces joined by spaces are the original text.
 */
export function splitPassages(text: string, parts: number): readonly string[] {
  if (parts <= 1) return [text]
  const target = countWords(text) / parts
  const pieces: string[] = []
  let held: string[] = []
  let heldWords = 0
  let placedWords = 0
  const flush = (): void => {
    if (held.length > 0) pieces.push(held.join(' '))
    placedWords += heldWords
    held = []
    heldWords = 0
  }
  for (const unit of unitsOf(text, target)) {
    const words = countWords(unit)
    // Measured from the start of the text, so that long early pieces do not leave too little for the last one.
    const boundary = (pieces.length + 1) * target
    const before = boundary - (placedWords + heldWords)
    const after = placedWords + heldWords + words - boundary
    if (held.length > 0 && pieces.length < parts - 1 && after > before) flush()
    held.push(unit)
    heldWords += words
  }
  flush()
  return pieces
}

/** Splits a text into sentences, and long sentences into pieces of at most the target length. */
function unitsOf(text: string, target: number): readonly string[] {
  const maxWords = Math.max(1, Math.ceil(target))
  return text
    .split(sentenceEnd)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .flatMap((sentence) => {
      const words = sentence.split(/\s+/)
      if (words.length <= maxWords * 1.5) return [sentence]
      const count = Math.ceil(words.length / maxWords)
      const size = Math.ceil(words.length / count)
      return Array.from({ length: count }, (_, i) => words.slice(i * size, (i + 1) * size).join(' '))
    })
    .filter((unit) => unit !== '')
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}

/**
 * Cuts the texts of one place into passages: all into the same number of pieces, if they have enough sentences, so that
 * pieces of equal number have the same part of the text. The pieces get ` §1`, ` §2`, ... after the ref.
 * @param known the number of pieces of other editions of the place; undefined if there is none or it is whole.
 * @param sectionOf the section of a passage, by its ref.
 */
export function cutAlike(
  place: Pick<PassageRef, 'ref' | 'heRef'>,
  texts: readonly string[],
  known: number | undefined,
  sectionOf: (ref: string) => string,
): { readonly places: readonly PassageRef[]; readonly pieces: readonly (readonly string[])[] } {
  const parts = known ?? Math.max(...texts.map(passageCount))
  const pieces = texts.map((text) => splitPassages(text, parts))
  const count = Math.max(...pieces.map(({ length }) => length))
  const isWhole = count === 1 && known === undefined
  const places = Array.from({ length: count }, (_, i) => {
    const ref = isWhole ? place.ref : pieceRef(place.ref, i + 1)
    const heRef = isWhole ? place.heRef : hebrewPieceRef(place.heRef, i + 1)
    return { ref, heRef, sectionRef: sectionOf(ref) }
  })
  return { places, pieces }
}

/** For each ref, into how many pieces editions divide its text; 0 for a text that is whole. */
export type Division = ReadonlyMap<string, number>

/**
 * Reads into how many pieces other editions of a work divide its texts. The editions that an import replaces do not
 * count.
 */
export async function storedDivision(
  tx: Executor,
  work: string,
  replaced: readonly { readonly language: string; readonly title: string }[],
): Promise<Division> {
  const [languages, titles] = [replaced.map(({ language }) => language), replaced.map(({ title }) => title)]
  const { rows } = await tx.execute<{ ref: string; pieces: number }>(sql`
    select regexp_replace(p.ref, ' §[0-9]+$', '') as ref,
      (count(*) filter (where p.ref ~ ' §[0-9]+$'))::int as pieces
    from passages p join works w on w.id = p.work_id
    where w.title = ${work} and exists (
      select 1 from passage_texts t join versions v on v.id = t.version_id
      where t.passage_id = p.id and (v.language, v.title) not in (
        select * from unnest(${sql.param(languages)}::text[], ${sql.param(titles)}::text[])))
    group by 1`)
  return new Map(rows.map(({ ref, pieces }) => [ref, pieces]))
}
