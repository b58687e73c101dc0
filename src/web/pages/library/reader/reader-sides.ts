import { findQuote } from '../../../../sources/citations/comparison/find-quote.ts'
import type { ReadingPage } from '../../../../sources/library/reading-page.ts'
import type { Passage } from '../../../../sources/library/types.ts'
import { versionKey } from '../../../components/library-links.ts'

/** A version on the page, and how many of the page's passages it has. */
type Version = { readonly key: string; readonly passage: Passage; readonly passages: number }

/** Hebrew, or translations: the versions of the page, and the one to show. */
export type Side = {
  readonly name: 'hebrew' | 'translation'
  readonly versions: readonly Version[]
  readonly chosen: Version | undefined
}

export type Quoted = { readonly passage: Passage; readonly start: number; readonly end: number }

/** Searches the requested passage, or the whole page if the request names a chapter. */
export async function findQuoted(page: ReadingPage, quote: string): Promise<Quoted | undefined> {
  const passages = page.passages.filter(({ ref }) => page.asked === undefined || ref === page.asked)
  const found = await findQuote(
    quote,
    passages.map(({ text }) => text),
  )
  const passage = found && passages[found.text]
  return passage && { passage, start: found.start, end: found.end }
}

/** The version with the quotation; otherwise the one asked for; otherwise the one with most passages of the page. */
export function sideOf(
  name: Side['name'],
  passages: readonly Passage[],
  wanted: string | undefined,
  quoted: Quoted | undefined,
): Side {
  const mine = passages.filter((passage) => (passage.language === 'he') === (name === 'hebrew'))
  const versions = [...Map.groupBy(mine, versionKey)].flatMap(([key, own]) =>
    own[0] ? [{ key, passage: own[0], passages: own.length }] : [],
  )
  const byLength = versions.toSorted(
    (a, b) =>
      Number(b.passage.language === 'en') - Number(a.passage.language === 'en') || b.passages - a.passages,
  )
  const withQuote = quoted && versionKey(quoted.passage)
  const chosen =
    versions.find(({ key }) => key === withQuote) ?? versions.find(({ key }) => key === wanted) ?? byLength[0]
  return { name, versions, chosen }
}

/** A passage in the chosen version; in another one if that lacks it. */
export function textOf({ name, chosen }: Side, versions: readonly Passage[]): Passage | undefined {
  const mine = versions.filter((passage) => (passage.language === 'he') === (name === 'hebrew'))
  return mine.find((passage) => versionKey(passage) === chosen?.key) ?? mine[0]
}
