import { sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../../db/client.ts'
import { beginRebuild, lockIndex, readIndexWatermark } from '../../index/index-watermark.ts'
import { indexTexts } from '../../index/index-writer.ts'
import { termsVersion } from '../../vocabulary/terms-version.ts'
import { remakeHeadings } from './headings.ts'
import { lockLibrary } from './library.ts'

/**
 * Rebuilds the search index and the keys of headings if another version of the normaliser made them, because queries
 * would use other terms. Searches use the old index until the new one is complete (about two minutes for 220,000
 * passages). Several replicas may call it at once.
 * @param options.force rebuilds in any case.
 * @param options.signal stops it within a second: it rejects, the old index stays, and the next call starts again.
 * @returns whether it rebuilt the index.
 */
export async function ensureSearchIndex(
  database: Database,
  { force = false, signal }: { readonly force?: boolean; readonly signal?: AbortSignal } = {},
): Promise<boolean> {
  if (!force && (await isCurrent(database.system))) return false
  const remake = async (tx: Executor) => {
    await lockLibrary(tx)
    // Another replica may have rebuilt the index while this one waited for the lock.
    if (!force && (await isCurrent(tx))) return false
    await lockIndex(tx)
    await tx.execute(sql`delete from search_postings`)
    await tx.execute(sql`delete from search_spelling_buckets`)
    await tx.execute(sql`delete from search_spellings`)
    await beginRebuild(tx)
    await indexTexts(tx)
    const works = await tx.execute<{ id: number }>(sql`select id from works order by id`)
    for (const { id } of works.rows) await remakeHeadings(tx, id)
    await tx.execute(sql`
      insert into library_state (key, value) values ('normaliser', ${termsVersion()})
      on conflict (key) do update set value = excluded.value`)
    return true
  }
  return withTx(database, 'system', remake, signal)
}

/** An empty library has no mark and needs none. */
async function isCurrent(executor: Executor): Promise<boolean> {
  const found = await executor.execute<{ value: string }>(
    sql`select value from library_state where key = 'normaliser'`,
  )
  const made = found.rows[0]?.value
  return made === undefined || made === termsVersion()
}

/**
 * An import begins to index a work at most 40 s after storing it (`flushAfterMs` of `importers/import-works.ts`). Older texts without
 * index entries belong to an interrupted import.
 */
const leftBehindMinutes = 2

/**
 * Indexes texts of an import that was interrupted before it indexed them.
 * @param signal stops it like `ensureSearchIndex`.
 * @returns whether there were any.
 */
export async function finishIndex(database: Database, signal?: AbortSignal): Promise<boolean> {
  if (!(await isLeftBehind(database.system))) return false
  const finish = async (tx: Executor) => {
    await lockLibrary(tx)
    if (!(await isLeftBehind(tx))) return false
    await indexTexts(tx)
    return true
  }
  return withTx(database, 'system', finish, signal)
}

async function isLeftBehind(executor: Executor): Promise<boolean> {
  const { indexedTo, nextDoc } = await readIndexWatermark(executor)
  if (indexedTo >= nextDoc) return false
  const found = await executor.execute(sql`
    select 1 from versions where first_doc + doc_count > ${indexedTo}
      and imported_at < now() - make_interval(mins => ${leftBehindMinutes}) limit 1`)
  return found.rows.length > 0
}
