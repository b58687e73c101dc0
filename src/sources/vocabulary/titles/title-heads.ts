import { readFileSync } from 'node:fs'
import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'

/**
 * How surely a first word makes a title. `sure`: hardly anything but books is called so (`Likutei`, `קונטרס`); `strong`: it
 * makes a title where something is asked of it; `weak`: it is a common word (`Or`, `בית`), which only a book's name makes one.
 */
export type HeadStrength = 'sure' | 'strong' | 'weak'

/** Lines of strength, English and Hebrew words, with tabs between them and `|` between words. */
const heads: ReadonlyMap<string, HeadStrength> = new Map(
  linesOf('title-heads.tsv').flatMap(([strength, ...lists]) =>
    lists.flatMap(wordsOf).map((word) => [headingKey(word), strength as HeadStrength] as const),
  ),
)

/** The strength of a word with which titles begin, by its key; undefined of other words. */
export function headStrength(key: string): HeadStrength | undefined {
  return heads.get(key)
}

/** Terms that begin like titles and are none, and titles that are common phrases. */
const terms: ReadonlySet<string> = new Set(
  linesOf('title-like-terms.tsv').flatMap((lists) =>
    lists.flatMap(wordsOf).flatMap((term) => [headingKey(term), looseHeadingKey(term)]),
  ),
)

/** Whether a key, exact or loose, is a phrase in its own right: only a word such as `book` makes it a title. */
export function isTitleLikeTerm(key: string): boolean {
  return terms.has(key)
}

function linesOf(file: string): readonly (readonly string[])[] {
  const lines = readFileSync(new URL(`./${file}`, import.meta.url), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => line.split('\t'))
}

function wordsOf(list: string): readonly string[] {
  return list.split('|').filter((word) => word !== '')
}
