import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findSharedSheet } from '../../src/sheets/public-link.ts'
import { findSharedSession } from '../../src/turns/sessions/shared-sessions.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { makeCaller } from '../support/turns/caller.ts'
import { start } from '../support/turns/start.ts'

const file = 'migrations/0028_link_digests.sql'
const conversationToken = `${'c-_'.repeat(14)}d`
const sheetToken = 'S'.repeat(32)

let db: TestDatabase
let client: pg.PoolClient

/** As before the migration. */
beforeEach(async () => {
  db = await createTestDatabase()
  client = await db.database.systemPool.connect()
  await start(db.database, await makeCaller(db.database))
  await client.query(`
    alter table shared_sessions drop column token_digest, drop column token_seed,
      add column token text constraint shared_sessions_token_unique unique not null;
    alter table source_sheets drop column link_digest, drop column link_seed, add column public_token text;
    create unique index source_sheets_public on source_sheets (public_token);
    insert into shared_sessions (session_id, account_id, token, last_turn)
      select id, account_id, '${conversationToken}', 1 from sessions limit 1;
    insert into source_sheets (id, account_id, title, public_token)
      select 'sheet_shared', id, 'Lamps', '${sheetToken}' from accounts limit 1;
    insert into source_sheets (id, account_id, title) select 'sheet_private', id, 'Lamps' from accounts limit 1`)
})
afterEach(async () => {
  client.release(true)
  await db.drop()
})

async function migrate(): Promise<void> {
  for (const text of (await readFile(file, 'utf8')).split('--> statement-breakpoint'))
    await client.query(text)
}

test('links of before the migration work, and their tokens are no longer stored', async () => {
  await migrate()
  expect(await findSharedSession(db.database.system, conversationToken)).toMatchObject({ lastTurn: 1 })
  expect(await findSharedSheet(db.database.system, sheetToken)).toMatchObject({ id: 'sheet_shared' })
  const { rows } = await client.query<{ row: string }>(
    'select s::text as row from shared_sessions s union all select s::text from source_sheets s',
  )
  const stored = rows.map(({ row }) => row).join('\n')
  expect(stored).not.toMatch(new RegExp(`${conversationToken}|${sheetToken}`))
  expect(stored).toContain(createHash('sha256').update(sheetToken).digest('hex'))
})

test('branches of branches at their first question stand beside them', async () => {
  const branch = (id: string, parent: string, turn: number) =>
    client
      .query(
        `insert into sessions (id, account_id, project_id, model, name)
         select $1, account_id, project_id, model, '' from sessions limit 1`,
        [id],
      )
      .then(() =>
        client.query(
          `insert into session_branches (session_id, account_id, parent_id, parent_turn)
           select id, account_id, $2, $3 from sessions where id = $1`,
          [id, parent, turn],
        ),
      )
  await branch('sess_b', 'sess_root', 3)
  await branch('sess_c', 'sess_b', 1)
  await branch('sess_d', 'sess_c', 1)
  await branch('sess_e', 'sess_b', 2)
  await migrate()
  const { rows } = await client.query(
    'select session_id, parent_id, parent_turn from session_branches order by session_id',
  )
  expect(rows.map(Object.values)).toEqual([
    ['sess_b', 'sess_root', 3],
    ['sess_c', 'sess_root', 3],
    ['sess_d', 'sess_root', 3],
    ['sess_e', 'sess_b', 2],
  ])
})
