import { sql } from 'drizzle-orm'
import { type Database, type Executor, withImportTx } from '../../db/client.ts'
import { requireWritable } from '../../db/library/library-database.ts'
import { ServiceError } from '../../errors.ts'
import { createIndexWriter } from '../index/index-writer.ts'
import { licenseRefusal, mayImport, type RestrictedLicense } from '../library/licenses.ts'
import { lockLibrary, storeWork } from '../library/writing/library.ts'
import { readJsonlLine } from './jsonl-line.ts'
import { type Division, JsonlWork } from './jsonl-work.ts'

export type ImportOptions = {
  /** Restricted licence classes that the operator accepts, in addition to open licences and own texts. */
  readonly allowLicenses: readonly RestrictedLicense[]
  /** Whether versions may lose passages that the file lacks; otherwise such a file is refused. */
  readonly replace?: boolean
  /** Called at intervals with the number of lines read so far. */
  readonly onProgress?: (done: number) => void
}

export type ImportReport = {
  /** Number of new or changed works. */
  readonly works: number
  readonly versions: number
  /** Number of versions that the library already has with the same content. */
  readonly unchanged: number
  /** Number of texts written; one per place and version. */
  readonly passages: number
  readonly skipped: readonly { readonly why: string; readonly count: number }[]
}

/**
 * Imports a library from JSON lines, one object per line. Long texts are cut at ends of sentences; the pieces get `
 * §1`, ` §2`, ... after the ref. The import stores everything or nothing. Unchanged versions are skipped; changed
 * versions are replaced as a whole, so a file must contain all lines of a version.
 * @throws ServiceError `invalid_value` naming the line and the field, or the passages that would be lost.
 */
export async function importJsonl(
  database: Database,
  lines: AsyncIterable<string>,
  options: ImportOptions,
): Promise<ImportReport> {
  await withImportTx(database, requireWritable)
  const read = await readLines(lines, options)
  return withImportTx(database, async (tx) => {
    await lockLibrary(tx)
    const report = { works: 0, versions: 0, unchanged: 0, passages: 0, skipped: read.skipped }
    const index = createIndexWriter()
    for (const work of read.works.values()) {
      const incoming = work.finish(await knownDivision(tx, work))
      const stored = await storeWork(tx, { ...incoming, keepsPassages: options.replace !== true })
      index.add(stored.parts)
      if (index.isFull) await index.flush(tx)
      report.works += stored.versions > 0 ? 1 : 0
      report.versions += stored.versions
      report.unchanged += incoming.versions.length - stored.versions
      report.passages += stored.passages
    }
    await index.flush(tx)
    await saveLinks(tx, read.links)
    return report
  })
}

type Read = {
  readonly works: ReadonlyMap<string, JsonlWork>
  readonly links: ReadonlyMap<string, readonly string[]>
  readonly skipped: ImportReport['skipped']
}

async function readLines(lines: AsyncIterable<string>, options: ImportOptions): Promise<Read> {
  const works = new Map<string, JsonlWork>()
  const links = new Map<string, readonly string[]>()
  const skipped = new Map<string, number>()
  let number = 0
  for await (const raw of lines) {
    number += 1
    if (number % 1000 === 0) options.onProgress?.(number)
    if (raw.trim() === '') continue
    const line = readJsonlLine(raw, number)
    if (!mayImport(line.license, options.allowLicenses)) {
      const why = licenseRefusal(line.license)
      skipped.set(why, (skipped.get(why) ?? 0) + 1)
      continue
    }
    const work = works.get(line.work) ?? new JsonlWork(line.work)
    works.set(line.work, work)
    work.add(line, number)
    // Also for a line without refs: it removes the links that the line had before.
    links.set(line.ref, line.refs)
  }
  options.onProgress?.(number)
  if (links.size === 0 && skipped.size === 0)
    throw new ServiceError('invalid_value', 'The file has no lines with texts. Check that it is complete.')
  return { works, links, skipped: [...skipped].map(([why, count]) => ({ why, count })) }
}

/** Reads, for each ref, the number of pieces that editions outside this import already have. */
async function knownDivision(tx: Executor, work: JsonlWork): Promise<Division> {
  const { versions } = work
  const found = await tx.execute<{ ref: string; pieces: number }>(sql`
    select p.section_ref as ref, count(*)::int as pieces
    from passages p join works w on w.id = p.work_id
    where w.title = ${work.title} and p.section_ref = any(${sql.param(work.refs)}::text[])
      and p.ref ~ ' §[0-9]+$'
      and exists (
        select 1 from passage_texts t join versions v on v.id = t.version_id
        where t.passage_id = p.id and (v.language, v.title) not in (
          select * from unnest(${sql.param(versions.map((v) => v.language))}::text[], ${sql.param(versions.map((v) => v.title))}::text[])))
    group by p.section_ref`)
  return new Map(found.rows.map(({ ref, pieces }) => [ref, pieces]))
}

async function saveLinks(tx: Executor, links: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const from = [...links.keys()]
  await tx.execute(sql`delete from links where from_ref = any(${sql.param(from)}::text[])`)
  const pairs = [...links].flatMap(([ref, targets]) => targets.map((target) => ({ ref, target })))
  await tx.execute(sql`
    insert into links (from_ref, to_ref)
    select * from unnest(${sql.param(pairs.map((p) => p.ref))}::text[], ${sql.param(pairs.map((p) => p.target))}::text[])
    on conflict do nothing`)
}
