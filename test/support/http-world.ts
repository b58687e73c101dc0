import { createKey } from '../../src/accounts/keys.ts'
import { scopes } from '../../src/accounts/scopes.ts'
import { withTx } from '../../src/db/client.ts'
import { sessions } from '../../src/db/schema/index.ts'
import { newId } from '../../src/ids.ts'
import { writeText } from '../../src/workspace/files.ts'
import type { TestDatabase } from './database.ts'
import { sendJson } from './http-raw.ts'
import { makeAccount, makeProject, question, type TestService, testPeppers } from './service.ts'

/** Things of one project: a session with a finished run, and a file. */
export type Things = {
  readonly accountId: string
  readonly projectId: string
  readonly sessionId: string
  readonly runId: string
  readonly fileId: string
}

/** A key and its id, for tests that revoke it. */
export async function makeKeyWithId(
  db: TestDatabase,
  accountId: string,
  reach: Parameters<typeof createKey>[3]['reach'],
  only: readonly string[] | undefined = undefined,
): Promise<{ readonly key: string; readonly id: string }> {
  const input = { name: 'test', reach, ...(only && { scopes: only }) }
  const { key, info } = await withTx(db.database, 'system', (tx) =>
    createKey(tx, testPeppers, accountId, input),
  )
  return { key, id: info.id }
}

/** A key of all seven scopes over every project of the account. */
export async function ownerKey(db: TestDatabase, accountId: string): Promise<string> {
  return (await makeKeyWithId(db, accountId, { kind: 'owner' }, scopes)).key
}

export async function makeSession(
  db: TestDatabase,
  place: { readonly accountId: string; readonly projectId: string },
  name = 'A session',
): Promise<string> {
  const id = newId('session')
  const { accountId, projectId } = place
  await db.database.system.insert(sessions).values({ id, accountId, projectId, model: 'service', name })
  return id
}

export async function makeFile(
  db: TestDatabase,
  place: { readonly accountId: string; readonly projectId: string },
  text = 'a text',
): Promise<string> {
  const { accountId, projectId } = place
  const home = { accountId, projectId, sessionId: null, runId: null }
  const file = await withTx(db.database, place, (tx) => writeText(tx, home, `${newId('file')}.txt`, text))
  return file.id
}

export async function makeThings(
  db: TestDatabase,
  service: TestService,
  owner: { readonly accountId: string; readonly key: string },
): Promise<Things> {
  const { accountId, key } = owner
  const place = { accountId, projectId: await makeProject(db.database, accountId) }
  const body = { ...question('What is a beinoni?'), x_service: { project_id: place.projectId } }
  const reply = await sendJson(service, { method: 'POST', path: '/v1/chat/completions', key, body })
  if (reply.status !== 200) throw new Error(`the first turn failed: ${reply.text}`)
  const { session_id: sessionId, run_id: runId } = JSON.parse(reply.text).x_service
  return { ...place, sessionId, runId, fileId: await makeFile(db, place) }
}

export async function makeOwner(
  db: TestDatabase,
  plan = 'pro',
): Promise<{ readonly accountId: string; readonly key: string }> {
  const { id: accountId } = await makeAccount(db.database, plan)
  return { accountId, key: await ownerKey(db, accountId) }
}

/** How many rows each table of the service has, to see that a refused request wrote nothing. */
export async function rowCounts(db: TestDatabase): Promise<Readonly<Record<string, number>>> {
  const { rows: tables } = await db.database.system.execute<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  )
  const counts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await db.database.system.execute<{ n: number }>(
        `select count(*)::int as n from "${name}"`,
      )
      return [name, rows[0]?.n ?? -1] as const
    }),
  )
  return Object.fromEntries(counts)
}
