import { sql } from 'drizzle-orm'
import { type Database, withTx } from '../../../src/db/client.ts'

/** As many headings as the largest libraries have, for code that scans titles. */
const headings = 25_000

/** Adds headings without texts to the library, in the rows that importers write. */
export async function fillLibrary(database: Database): Promise<void> {
  await withTx(database, 'system', async (tx) => {
    await tx.execute(sql`
      with work as (
        insert into works (title) values ('Synthetic Work') returning id
      )
      insert into headings (key, heading, kind, work_id, first_ordinal, first_ref)
      select sign || lower(name), name, 'place', work.id, n, name || ' 1:1'
      from work, generate_series(1, ${headings}) n, (values (''), ('~')) as signs(sign),
        lateral (select 'Gates of the ' || md5(n::text) || ', Part ' || n) as names(name)`)
  })
}
