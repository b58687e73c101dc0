import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { readIndexWatermark } from '../../index/index-watermark.ts'
import { blockOf, blockSize, postingBytes } from '../../index/postings.ts'
import { readPostingLists } from '../../index/stored-postings.ts'
import { documentTerms, headingsOf } from '../../index/terms.ts'
import { termsVersion } from '../../vocabulary/terms-version.ts'

type Rows = readonly Readonly<Record<string, unknown>>[]

/** A rule of the library, with the rows that break it. */
export type LibraryFault = { readonly rule: string; readonly rows: Rows }

export type LibraryCheck = {
  readonly works: number
  readonly versions: number
  readonly passages: number
  readonly texts: number
  readonly links: number
  /** Number of texts that were compared with the index. */
  readonly compared: number
  readonly faults: readonly LibraryFault[]
}

/** Maximum number of rows shown per fault. */
const maxRows = 50

const rules: readonly { readonly rule: string; readonly statement: string }[] = [
  {
    rule: 'every passage has a text',
    statement: `select p.ref from passages p
      where not exists (select 1 from passage_texts t where t.passage_id = p.id)`,
  },
  {
    rule: 'every text is of a passage and a version, and every passage of a work',
    statement: `select t.doc_id as document, null as ref from passage_texts t
      where not exists (select 1 from passages p where p.id = t.passage_id)
        or not exists (select 1 from versions v where v.id = t.version_id)
      union all select null, p.ref from passages p where not exists (select 1 from works w where w.id = p.work_id)`,
  },
  {
    rule: 'every version has passages, as many as it says',
    statement: `select w.title as work, v.language, v.title as version, v.doc_count as said, count(t.doc_id)::int as found
      from versions v join works w on w.id = v.work_id left join passage_texts t on t.version_id = v.id
      group by w.title, v.id having count(t.doc_id) = 0 or count(t.doc_id) <> v.doc_count`,
  },
  {
    rule: 'every work has a version',
    statement: `select w.title as work from works w where not exists (select 1 from versions v where v.work_id = w.id)`,
  },
  {
    rule: 'every text is of the work and language of its version, and not empty',
    statement: `select p.ref, v.title as version, t.language from passage_texts t
      join passages p on p.id = t.passage_id join versions v on v.id = t.version_id
      where p.work_id <> v.work_id or t.language <> v.language or btrim(t.text) = ''`,
  },
  {
    rule: 'the documents of a version are numbered as it says',
    statement: `select w.title as work, v.title as version, min(t.doc_id) as first, max(t.doc_id) as last
      from versions v join works w on w.id = v.work_id join passage_texts t on t.version_id = v.id
      group by w.title, v.id having min(t.doc_id) <> v.first_doc or max(t.doc_id) <> v.first_doc + v.doc_count - 1`,
  },
  {
    rule: 'no two passages of a work have the same place in its order',
    statement: `select w.title as work, p.ordinal, min(p.ref) as ref, max(p.ref) as other
      from passages p join works w on w.id = p.work_id group by w.title, p.work_id, p.ordinal having count(*) > 1`,
  },
  {
    rule: 'document numbers stay below the next one',
    statement: `select max(t.doc_id) as highest, (select value from library_state where key = 'next_doc') as next
      from passage_texts t
      having max(t.doc_id) >= coalesce((select value::bigint from library_state where key = 'next_doc'), 0)`,
  },
  {
    rule: 'texts are brought into the index soon after they are stored',
    statement: `select w.title as work, v.language, v.title as version, v.imported_at
      from versions v join works w on w.id = v.work_id
      where v.first_doc + v.doc_count > (select value::int from library_state where key = 'indexed_to')
        and v.imported_at < now() - interval '5 minutes'`,
  },
  {
    rule: 'a row of the index holds as many documents as it says',
    statement: `select term, block, documents, length(data) as bytes from search_postings
      where documents < 1 or length(data) <> documents * ${postingBytes}`,
  },
]

/**
 * Checks the library: every row has its counterparts, stored counts are right, and the index agrees with a sample of
 * `sample` texts.
 */
export async function checkLibrary(executor: Executor, sample: number): Promise<LibraryCheck> {
  const faults: LibraryFault[] = []
  for (const { rule, statement } of rules) {
    const found = await executor.execute(sql.raw(`${statement} limit ${maxRows}`))
    if (found.rows.length > 0) faults.push({ rule, rows: found.rows })
  }
  faults.push(...(await checkNormaliser(executor)))
  const { compared, missing } = await checkIndex(executor, sample)
  if (missing.length > 0) faults.push({ rule: 'the index has every word of every text', rows: missing })
  return { ...(await countAll(executor)), compared, faults }
}

async function countAll(executor: Executor): Promise<Omit<LibraryCheck, 'compared' | 'faults'>> {
  const found = await executor.execute<Omit<LibraryCheck, 'compared' | 'faults'>>(sql`
    select (select count(*)::int from works) as works, (select count(*)::int from versions) as versions,
      (select count(*)::int from passages) as passages, (select count(*)::int from passage_texts) as texts,
      (select count(*)::int from links) as links`)
  return found.rows[0] ?? { works: 0, versions: 0, passages: 0, texts: 0, links: 0 }
}

async function checkNormaliser(executor: Executor): Promise<readonly LibraryFault[]> {
  const found = await executor.execute<{ value: string }>(
    sql`select value from library_state where key = 'normaliser'`,
  )
  const made = found.rows[0]?.value
  if (made === undefined || made === termsVersion()) return []
  return [{ rule: 'the index was made by the normaliser in use', rows: [{ made, inUse: termsVersion() }] }]
}

type SampleRow = {
  readonly doc_id: number
  readonly text: string
  readonly ref: string
  readonly he_ref: string
}

/** Compares texts with the index. The sample is spread evenly over the library. */
async function checkIndex(
  executor: Executor,
  sample: number,
): Promise<{ readonly compared: number; readonly missing: Rows }> {
  const { indexedTo } = await readIndexWatermark(executor)
  const found = await executor.execute<SampleRow>(sql`
    select t.doc_id, t.text, p.ref, p.he_ref
    from (select doc_id, row_number() over (order by doc_id) as n, count(*) over () as total from passage_texts
      where doc_id < ${indexedTo}) s
      join passage_texts t on t.doc_id = s.doc_id join passages p on p.id = t.passage_id
    where s.n % greatest(1, s.total / ${sample}::int) = 0 order by t.doc_id limit ${sample}`)
  const missing: Record<string, unknown>[] = []
  for (const [block, rows] of Map.groupBy(found.rows, (row) => blockOf(row.doc_id))) {
    for (const row of rows) {
      if (missing.length >= maxRows) break
      const absent = await absentTerms(executor, block, row)
      if (absent.length > 0) missing.push({ ref: row.ref, document: row.doc_id, absent: absent.slice(0, 5) })
    }
  }
  return { compared: found.rows.length, missing }
}

async function absentTerms(executor: Executor, block: number, row: SampleRow): Promise<readonly string[]> {
  const headings = headingsOf({ ref: row.ref, heRef: row.he_ref })
  const terms = [...documentTerms(row.text, headings).frequencies.keys()]
  const found = await readPostingLists(executor, terms, [block])
  const local = row.doc_id % blockSize
  const present = new Set(
    [...found]
      .filter(([, lists]) =>
        lists.some(({ postings }) => postings.some((posting) => (posting & 0xffff) === local)),
      )
      .map(([term]) => term),
  )
  return terms.filter((term) => !present.has(term))
}
