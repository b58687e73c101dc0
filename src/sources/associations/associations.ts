import { sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { copyRows } from '../../db/copy.ts'
import { lockLibrary } from '../library/writing/library.ts'
import { runInTimeSlices, TimeSlices } from '../text/time-slices.ts'
import { normaliserVersion } from '../text/tokens.ts'
import { AlignedTexts, alignedTerms } from './aligned-words.ts'
import { type Association, learnAssociations } from './association-model.ts'

/** Increase it whenever the same texts would give other associations. */
const modelVersion = 1

/** Maximum number of aligned passages. A larger library is sampled at equal distances. */
const maxPassages = 20_000

/** Maximum number of pairs, strongest first. */
const maxPairs = 40_000

/** Languages in Hebrew letters; their words are in the Hebrew index. */
const hebrewLanguages = ['he', 'arc']

/** Passages a page. */
const pageSize = 500

/** Rows per statement. Encoding them takes one or two milliseconds. */
const batchRows = 4_000

const table = {
  table: 'search_associations',
  columns: ['term', 'other', 'strength'],
} as const

/**
 * Learns which words of both languages belong together, from passages that exist in both. It does nothing if the
 * library has not changed since the last time. All processes use the result in searches. It reads at most 20,000
 * passages and yields to the event loop every few milliseconds. Several replicas may call it at once.
 * @param options.settled skips learning if something was imported within the last minute.
 * @param options.signal stops it; existing associations stay.
 * @returns whether associations were learned.
 */
export async function ensureAssociations(
  database: Database,
  { settled = false, signal }: { readonly settled?: boolean; readonly signal?: AbortSignal } = {},
): Promise<boolean> {
  const state = await libraryMark(database.system)
  if (state === (await learnedMark(database.system))) return false
  if (settled && (await isChanging(database.system))) return false
  const learned = await learnAssociations(await readAligned(database.system, signal), signal)
  const kept = await runInTimeSlices(strongest(learned), signal)
  await withTx(database, 'system', async (tx) => {
    await lockLibrary(tx)
    await store(tx, kept)
    await tx.execute(sql`
      insert into library_state (key, value) values ('associations', ${state})
      on conflict (key) do update set value = excluded.value`)
  })
  return true
}

async function isChanging(executor: Executor): Promise<boolean> {
  const found = await executor.execute(
    sql`select 1 from versions where imported_at > now() - interval '1 minute' limit 1`,
  )
  return found.rows.length > 0
}

/** Identifies the state of the library: the versions with their contents, and the version of the word rules. */
async function libraryMark(executor: Executor): Promise<string> {
  const found = await executor.execute<{ mark: string }>(
    sql`select coalesce(md5(string_agg(id || ':' || content_hash, ',' order by id)), '') as mark from versions`,
  )
  return `${modelVersion}.${normaliserVersion}.${found.rows[0]?.mark ?? ''}`
}

async function learnedMark(executor: Executor): Promise<string | undefined> {
  const found = await executor.execute<{ value: string }>(
    sql`select value from library_state where key = 'associations'`,
  )
  return found.rows[0]?.value
}

/** Reads the terms of passages that exist in both languages, page by page for each work. */
async function readAligned(executor: Executor, signal: AbortSignal | undefined): Promise<AlignedTexts> {
  const works = await executor.execute<{ id: number; texts: number }>(sql`
    select work_id as id, least(
      sum(doc_count) filter (where language = 'en'),
      sum(doc_count) filter (where language = any(${sql.param(hebrewLanguages)}::text[])))::int as texts
    from versions where doc_count > 0 group by work_id order by work_id`)
  const parallel = works.rows.filter(({ texts }) => texts > 0)
  const all = parallel.reduce((sum, { texts }) => sum + texts, 0)
  const step = Math.max(1, Math.ceil(all / maxPassages))
  const slices = new TimeSlices()
  const aligned = new AlignedTexts()
  for (const { id } of parallel) {
    for await (const { he, en } of pagesOf(executor, id, step)) {
      signal?.throwIfAborted()
      if (aligned.size >= maxPassages) return aligned
      if (he !== null && en !== null) aligned.add(alignedTerms(he, en))
      await slices.pause()
    }
  }
  return aligned
}

type Aligned = { readonly ordinal: number; readonly he: string | null; readonly en: string | null }

/** Reads every n-th passage of a work with its first text in each language. */
async function* pagesOf(executor: Executor, work: number, step: number): AsyncGenerator<Aligned> {
  const textIn = (languages: readonly string[]) => sql`(
    select t.text from passage_texts t
    where t.passage_id = p.id and t.language = any(${sql.param(languages)}::text[]) order by t.version_id limit 1)`
  for (let after = -1; ; ) {
    const page = await executor.execute<Aligned>(sql`
      select p.ordinal, ${textIn(hebrewLanguages)} as he, ${textIn(['en'])} as en from passages p
      where p.work_id = ${work} and p.ordinal > ${after} and p.ordinal % ${step} = 0
      order by p.ordinal limit ${pageSize}`)
    yield* page.rows
    after = page.rows.at(-1)?.ordinal ?? 0
    if (page.rows.length < pageSize) return
  }
}

/** A stored pair. */
type Row = readonly [term: string, other: string, thousandths: number]

/** Stores each pair in both directions, so that one query finds the partners of a word of either language. */
async function store(tx: Executor, rows: readonly Row[]): Promise<void> {
  await tx.execute(sql`delete from search_associations`)
  for (let from = 0; from < rows.length; from += batchRows)
    await copyRows(tx, table, Math.min(batchRows, rows.length - from), (writer, i) => {
      const [term, other, thousandths] = rows[from + i] as Row
      writer.text(term)
      writer.text(other)
      writer.int4(thousandths)
    })
}

/**
 * Returns rows for the strongest pairs, with strengths in thousandths. It yields at points where the caller may pause
 * it.
 */
function* strongest(pairs: readonly Association[]): Generator<undefined, readonly Row[]> {
  const byStrength: Association[][] = Array.from({ length: 1_001 }, () => [])
  for (const pair of pairs) {
    byStrength[Math.round(pair.strength * 1_000)]?.push(pair)
    yield
  }
  const rows: Row[] = []
  for (let thousandths = 1_000; thousandths >= 0; thousandths -= 1) {
    for (const { en, he } of byStrength[thousandths] ?? []) {
      if (rows.length >= 2 * maxPairs) return rows
      rows.push([en, he, thousandths], [he, en, thousandths])
    }
    yield
  }
  return rows
}
