import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { readingMarks } from '../db/schema/index.ts'
import { ServiceError } from '../errors.ts'

/** Whose marks a call sees and changes. */
type Owner = { readonly accountId: string }

export type ReadingMark = Pick<typeof readingMarks.$inferSelect, 'ref' | 'text' | 'at'>

/** Maximum number of marks of each kind, and of characters of a note. The history drops its oldest page. */
export const markLimits = Object.freeze({
  history: 100,
  bookmark: 1_000,
  note: 1_000,
  daily: 10,
  text: 4_000,
})

type Kind = (typeof readingMarks.$inferSelect)['kind']
const kindNames = { bookmark: 'bookmarks', note: 'notes', daily: 'daily portions' } as const

/** Notes that a page was read, as the newest entry of the history. */
export async function recordReading(executor: Executor, { accountId }: Owner, ref: string): Promise<void> {
  await upsert(executor, { accountId, kind: 'history', ref, text: '' })
  await executor.execute(sql`
    delete from reading_marks where account_id = ${accountId} and kind = 'history' and at < (
      select at from reading_marks where account_id = ${accountId} and kind = 'history'
      order by at desc offset ${markLimits.history - 1} limit 1)`)
}

/** @throws ServiceError `invalid_value` when the account has as many bookmarks as it may. */
export async function setBookmark(
  executor: Executor,
  owner: Owner,
  ref: string,
  isOn: boolean,
): Promise<void> {
  if (isOn) await addMark(executor, owner, 'bookmark', ref)
  else await removeMark(executor, owner, 'bookmark', ref)
}

/**
 * Writes the note of an account on a passage. An empty text deletes it.
 * @throws ServiceError `invalid_value` for a note that is too long, or one more than the account may have.
 */
export async function saveNote(executor: Executor, owner: Owner, ref: string, text: string): Promise<void> {
  const words = text.toWellFormed().replaceAll('\0', '').replaceAll('\r\n', '\n').trim()
  if (words === '') return removeMark(executor, owner, 'note', ref)
  if (words.length > markLimits.text) {
    const has = words.length.toLocaleString('en')
    const may = markLimits.text.toLocaleString('en')
    throw new ServiceError(
      'invalid_value',
      `The note has ${has} characters. It may have ${may} characters: shorten it.`,
      { param: 'text' },
    )
  }
  await addMark(executor, owner, 'note', ref, words)
}

/**
 * Starts a work that is read a portion a day, from today; one that has been started goes on.
 * @throws ServiceError `invalid_value` when the account reads as many works as it may.
 */
export async function startDaily(executor: Executor, owner: Owner, work: string): Promise<void> {
  const known = await listMarks(executor, owner, 'daily')
  if (!known.some(({ ref }) => ref === work)) await addMark(executor, owner, 'daily', work)
}

export function stopDaily(executor: Executor, owner: Owner, work: string): Promise<void> {
  return removeMark(executor, owner, 'daily', work)
}

async function addMark(
  executor: Executor,
  { accountId }: Owner,
  kind: Exclude<Kind, 'history'>,
  ref: string,
  text = '',
): Promise<void> {
  // Two requests must not both find room for the last mark.
  await executor.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`reading/${accountId}`}, 0))`)
  const { rows } = await executor.execute<{ others: number }>(sql`
    select count(*)::int as others from reading_marks
    where account_id = ${accountId} and kind = ${kind} and ref <> ${ref}`)
  if ((rows[0]?.others ?? 0) >= markLimits[kind]) {
    const most = `${markLimits[kind].toLocaleString('en')} ${kindNames[kind]}`
    throw new ServiceError('invalid_value', `An account may have ${most}. Remove one first.`, {
      param: 'ref',
    })
  }
  await upsert(executor, { accountId, kind, ref, text })
}

async function upsert(
  executor: Executor,
  mark: Pick<typeof readingMarks.$inferInsert, 'accountId' | 'kind' | 'ref' | 'text'>,
): Promise<void> {
  const { accountId, kind, ref } = readingMarks
  await executor
    .insert(readingMarks)
    .values(mark)
    .onConflictDoUpdate({ target: [accountId, kind, ref], set: { text: mark.text, at: sql`now()` } })
}

const ofKind = ({ accountId }: Owner, kind: Kind) =>
  and(eq(readingMarks.accountId, accountId), eq(readingMarks.kind, kind))

async function removeMark(executor: Executor, owner: Owner, kind: Kind, ref: string): Promise<void> {
  await executor.delete(readingMarks).where(and(ofKind(owner, kind), eq(readingMarks.ref, ref)))
}

export async function clearHistory(executor: Executor, owner: Owner): Promise<void> {
  await executor.delete(readingMarks).where(ofKind(owner, 'history'))
}

/** The newest marks of a kind, newest first. */
export function listMarks(
  executor: Executor,
  owner: Owner,
  kind: Kind,
  limit = 200,
): Promise<readonly ReadingMark[]> {
  const { ref, text, at } = readingMarks
  return executor
    .select({ ref, text, at })
    .from(readingMarks)
    .where(ofKind(owner, kind))
    .orderBy(desc(at), ref)
    .limit(limit)
}

/** The account's bookmark and note on a passage. */
export type OwnMarks = { readonly isBookmarked: boolean; readonly note: string }

export const noMarks: OwnMarks = Object.freeze({ isBookmarked: false, note: '' })

/** The bookmarks and notes on these passages. Passages without any are missing in the result. */
export async function marksAt(
  executor: Executor,
  { accountId }: Owner,
  refs: readonly string[],
): Promise<ReadonlyMap<string, OwnMarks>> {
  const rows = await executor
    .select()
    .from(readingMarks)
    .where(
      and(
        eq(readingMarks.accountId, accountId),
        inArray(readingMarks.kind, ['bookmark', 'note']),
        inArray(readingMarks.ref, [...refs]),
      ),
    )
  const marks = Map.groupBy(rows, ({ ref }) => ref)
  return new Map(
    [...marks].map(([ref, own]) => [
      ref,
      {
        isBookmarked: own.some(({ kind }) => kind === 'bookmark'),
        note: own.find(({ kind }) => kind === 'note')?.text ?? '',
      },
    ]),
  )
}
