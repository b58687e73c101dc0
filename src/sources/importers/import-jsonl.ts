import { sql } from 'drizzle-orm'
import type { Database, Executor } from '../../db/client.ts'
import { ServiceError } from '../../errors.ts'
import { licenseRefusal, mayImport, type RestrictedLicense } from '../library/licenses.ts'
import { importAll, type ReadWork } from './import-works.ts'
import { readJsonlLine } from './jsonl-line.ts'
import { JsonlWork } from './jsonl-work.ts'
import { storedDivision } from './split-passages.ts'

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
  const { works, links, skipped } = await readLines(lines, options)
  const report = { works: 0, versions: 0, unchanged: 0, passages: 0, skipped }
  await importAll(database, readWorks(works, links, options, report))
  return report
}

type Counts = { works: number; versions: number; unchanged: number; passages: number }

function* readWorks(
  works: Read['works'],
  links: Read['links'],
  options: ImportOptions,
  report: Counts,
): Generator<ReadWork> {
  let left = works.size
  for (const work of works.values())
    yield {
      async content(tx) {
        const division = await storedDivision(tx, work.title, work.versions)
        return { ...work.finish(division), keepsPassages: options.replace !== true }
      },
      async stored(tx, { outcomes, versions, passages }) {
        report.works += versions > 0 ? 1 : 0
        report.versions += versions
        report.unchanged += outcomes.length - versions
        report.passages += passages
        left -= 1
        if (left === 0) await saveLinks(tx, links)
      },
    }
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

async function saveLinks(tx: Executor, links: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const from = [...links.keys()]
  await tx.execute(sql`delete from links where from_ref = any(${sql.param(from)}::text[])`)
  const pairs = [...links].flatMap(([ref, targets]) => targets.map((target) => ({ ref, target })))
  await tx.execute(sql`
    insert into links (from_ref, to_ref)
    select * from unnest(${sql.param(pairs.map((p) => p.ref))}::text[], ${sql.param(pairs.map((p) => p.target))}::text[])
    on conflict do nothing`)
}
