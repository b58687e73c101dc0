import { readFileSync } from 'node:fs'
import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'
import { lazy } from '../../text/lazy.ts'

/**
 * How certainly a first word makes a title. `sure`: almost only books begin with it (`Likutei`, `קונטרס`). `strong`:
 * it makes a title if the sentence asks what it says. `weak`: a common word (`Or`, `בית`), which needs a word such as
 * "book".
 */
export type HeadStrength = 'sure' | 'strong' | 'weak'

/**
 * Reads the table. Each line has a strength, English words and Hebrew words, separated by tabs; `|` separates words.
 */
const heads = lazy(
  (): ReadonlyMap<string, HeadStrength> =>
    new Map(
      linesOf('title-heads.tsv').flatMap(([strength, ...lists]) =>
        lists.flatMap(wordsOf).map((word) => [headingKey(word), strength as HeadStrength] as const),
      ),
    ),
)

/** The strength of a first word of titles, by its key; undefined for other words. */
export function headStrength(key: string): HeadStrength | undefined {
  return heads().get(key)
}

/** Terms that begin like titles but are none, and titles that are also common phrases. */
const terms = lazy(
  (): ReadonlySet<string> =>
    new Set(
      linesOf('title-like-terms.tsv').flatMap((lists) =>
        lists.flatMap(wordsOf).flatMap((term) => [headingKey(term), looseHeadingKey(term)]),
      ),
    ),
)

/** Whether a key, exact or loose, is such a phrase. Only a word such as `book` makes it a title. */
export function isTitleLikeTerm(key: string): boolean {
  return terms().has(key)
}

function linesOf(file: string): readonly (readonly string[])[] {
  const lines = readFileSync(new URL(`../data/${file}`, import.meta.url), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => line.split('\t'))
}

function wordsOf(list: string): readonly string[] {
  return list.split('|').filter((word) => word !== '')
}
