import { sql } from 'drizzle-orm'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { remakeHeadings } from './headings.ts'
import { createIndexWriter, type IndexedText } from './index-writer.ts'
import { lockLibrary } from './library.ts'
import { headingsOf } from './terms.ts'
import { normaliserVersion } from './tokens.ts'

/**
 * Makes the search index anew, and the keys of headings with it, when another edition of the normaliser made them: its
 * terms would not be those that queries now ask for. Searches go on with the old index until the new one is complete (some two minutes for 220,000
 * passages). Several replicas may call it at once; `force` makes it anew in any case.
 * @returns whether it was made anew.
 */
export async function ensureSearchIndex(database: Database, force = false): Promise<boolean> {
  if (!force && (await isCurrent(database.system))) return false
  return withTx(database, 'system', async (tx) => {
    await lockLibrary(tx)
    // Another replica may have done it while this one waited.
    if (!force && (await isCurrent(tx))) return false
    await tx.execute(sql`delete from search_postings`)
    await tx.execute(sql`delete from search_spellings`)
    const index = createIndexWriter()
    for await (const text of allTexts(tx)) {
      index.add(text)
      if (index.isFull) await index.flush(tx)
    }
    await index.flush(tx)
    const works = await tx.execute<{ id: number }>(sql`select id from works order by id`)
    for (const { id } of works.rows) await remakeHeadings(tx, id)
    await tx.execute(sql`
      insert into library_state (key, value) values ('normaliser', ${String(normaliserVersion)})
      on conflict (key) do update set value = excluded.value`)
    return true
  })
}

/** An empty library has no mark and needs none. */
async function isCurrent(executor: Executor): Promise<boolean> {
  const found = await executor.execute<{ value: string }>(
    sql`select value from library_state where key = 'normaliser'`,
  )
  const made = found.rows[0]?.value
  return made === undefined || made === String(normaliserVersion)
}

const pageSize = 2_000

/** All texts in order of their document numbers. */
async function* allTexts(tx: Executor): AsyncGenerator<IndexedText> {
  let last = -1
  for (;;) {
    const page = await tx.execute<{ doc_id: number; text: string; ref: string; he_ref: string }>(sql`
      select t.doc_id, t.text, p.ref, p.he_ref from passage_texts t join passages p on p.id = t.passage_id
      where t.doc_id > ${last} order by t.doc_id limit ${pageSize}`)
    for (const { doc_id, text, ref, he_ref } of page.rows) {
      yield { docId: doc_id, text, headings: headingsOf({ ref, heRef: he_ref }) }
    }
    const end = page.rows.at(-1)?.doc_id
    if (end === undefined) return
    last = end
  }
}
