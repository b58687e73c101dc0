import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import type { ReadVersion } from '../importers/sefaria/format/version.ts'
import type { VersionText } from '../library/writing/version-text.ts'

type KnownVersion = {
  readonly id: number
  readonly license: string
  readonly source_url: string
  readonly doc_count: number
}

type TextRow = {
  readonly ref: string
  readonly text: string
  readonly notes: readonly string[]
  readonly url: string
}

/**
 * Adds the stored texts of a version to those that were fetched.
 * @param maxTexts `FallbackLimits.versionTexts`.
 * @returns `not_stored` when the version has another licence or address; `too_large` when it has too many texts.
 */
export async function extended(
  tx: Executor,
  { work, version }: ReadVersion,
  maxTexts: number,
): Promise<VersionText | 'not_stored' | 'too_large'> {
  const found = await tx.execute<KnownVersion>(sql`
    select v.id, v.license, v.source_url, v.doc_count from versions v join works w on w.id = v.work_id
    where w.title = ${work.title} and v.language = ${version.language} and v.title = ${version.title}`)
  const [known] = found.rows
  if (!known) return version
  const isSame = known.license === version.license && known.source_url === version.sourceUrl
  if (!isSame) return 'not_stored'
  if (known.doc_count > maxTexts) return 'too_large'
  const { rows } = await tx.execute<TextRow>(sql`
    select p.ref, t.text, t.notes, t.url from passage_texts t join passages p on p.id = t.passage_id
    where t.version_id = ${known.id} order by p.ordinal`)
  const stored = rows.filter(({ ref }) => !version.texts.has(ref))
  return {
    ...version,
    texts: new Map([...stored.map(({ ref, text }) => [ref, text] as const), ...version.texts]),
    notes: new Map([
      ...stored.flatMap(({ ref, notes }) => (notes.length > 0 ? [[ref, notes] as const] : [])),
      ...(version.notes ?? []),
    ]),
    urls: new Map(stored.flatMap(({ ref, url }) => (url === '' ? [] : [[ref, url] as const]))),
  }
}
