import { and, count, desc, eq, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { sourceSheets } from '../db/schema/index.ts'
import { notFound, ServiceError } from '../errors.ts'
import { newId } from '../ids.ts'
import { plainName } from '../names/names.ts'
import { type SheetEntry, sheetLimits, within } from './entries.ts'

export type StoredSheet = typeof sourceSheets.$inferSelect

/** Whose sheets a call may see and change. */
type Owner = { readonly accountId: string }

/** A sheet in a list, without its texts. */
export type SheetSummary = {
  readonly id: string
  readonly title: string
  readonly passages: number
  readonly isPublic: boolean
  readonly updatedAt: Date
}

const passages = sql<number>`(select count(*)::int from jsonb_array_elements(${sourceSheets.entries}) e
  where e->>'kind' = 'passage')`

/** All sheets of an account, the one that was changed last first. */
export function listSheets(executor: Executor, { accountId }: Owner): Promise<readonly SheetSummary[]> {
  const { id, title, updatedAt, linkDigest } = sourceSheets
  return executor
    .select({ id, title, passages, isPublic: sql<boolean>`${linkDigest} is not null`, updatedAt })
    .from(sourceSheets)
    .where(eq(sourceSheets.accountId, accountId))
    .orderBy(desc(updatedAt), desc(id))
}

/**
 * @throws ServiceError `invalid_value` for an empty or too long title, or when the account has as many sheets as it may.
 */
export async function createSheet(
  executor: Executor,
  { accountId }: Owner,
  title: string,
  entries: readonly SheetEntry[] = [],
): Promise<StoredSheet> {
  const named = requireTitle(title)
  // Two requests must not both find room for the last sheet.
  await executor.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`sheets/${accountId}`}, 0))`)
  const [known] = await executor
    .select({ sheets: count() })
    .from(sourceSheets)
    .where(eq(sourceSheets.accountId, accountId))
  if ((known?.sheets ?? 0) >= sheetLimits.sheets) {
    throw new ServiceError(
      'invalid_value',
      `An account may have ${sheetLimits.sheets} source sheets. Delete one first.`,
      { param: 'title' },
    )
  }
  const [sheet] = await executor
    .insert(sourceSheets)
    .values({ id: newId('sheet'), accountId, title: named, entries })
    .returning()
  if (!sheet) throw new Error('insert returned no row')
  return sheet
}

/** @throws ServiceError `invalid_value`. */
export function requireTitle(title: string): string {
  const clean = within(plainName(title, 'title'), sheetLimits.title, 'title', 'The title')
  if (clean === '')
    throw new ServiceError('invalid_value', 'Enter a title for the sheet.', { param: 'title' })
  return clean
}

const own = ({ accountId }: Owner, id: string) =>
  and(eq(sourceSheets.id, id), eq(sourceSheets.accountId, accountId))

/** @throws ServiceError `not_found` for a sheet that does not exist or is another account's. */
export async function findSheet(executor: Executor, owner: Owner, id: string): Promise<StoredSheet> {
  const [sheet] = await executor.select().from(sourceSheets).where(own(owner, id))
  if (!sheet) throw notFound()
  return sheet
}

type SheetChange = Partial<Pick<StoredSheet, 'title' | 'intro' | 'entries' | 'linkDigest' | 'linkSeed'>>

/**
 * Changes a sheet under its lock, so that two changes at once both count.
 * @param change gets the sheet as it is now.
 * @throws ServiceError `not_found`; what `change` throws.
 */
export async function changeSheet(
  executor: Executor,
  owner: Owner,
  id: string,
  change: (sheet: StoredSheet) => SheetChange,
): Promise<StoredSheet> {
  const [sheet] = await executor.select().from(sourceSheets).where(own(owner, id)).for('update')
  if (!sheet) throw notFound()
  const [changed] = await executor
    .update(sourceSheets)
    .set({ ...change(sheet), updatedAt: sql`now()` })
    .where(own(owner, id))
    .returning()
  if (!changed) throw notFound()
  return changed
}

/** @throws ServiceError `not_found`. */
export async function deleteSheet(executor: Executor, owner: Owner, id: string): Promise<void> {
  const deleted = await executor.delete(sourceSheets).where(own(owner, id)).returning({ id: sourceSheets.id })
  if (deleted.length === 0) throw notFound()
}
