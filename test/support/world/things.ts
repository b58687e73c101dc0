import { randomUUID } from 'node:crypto'
import { createKey } from '../../../src/accounts/keys/keys.ts'
import { scopes } from '../../../src/accounts/scopes.ts'
import { withTx } from '../../../src/db/client.ts'
import { createSheet } from '../../../src/sheets/store.ts'
import type { TestDatabase } from '../database.ts'
import { fixture } from '../fixture.ts'
import { form, type Reply, send, sendJson } from '../http-raw.ts'
import { makeAccount, makeProject, testPeppers } from './accounts.ts'
import { question } from './requests.ts'
import type { TestService } from './service.ts'

/** A service, in this process or another one. */
type Served = Pick<TestService, 'url'>

/** Resources of one project: a session with a finished run, and a file. */
export type Things = {
  readonly accountId: string
  /** A key of the account for all its projects. */
  readonly key: string
  readonly projectId: string
  readonly sessionId: string
  readonly runId: string
  readonly fileId: string
}

/** Creates a key and returns it with its id, for tests that revoke it. */
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

/** A key with all scopes, for all projects of the account. */
export async function ownerKey(db: TestDatabase, accountId: string): Promise<string> {
  return (await makeKeyWithId(db, accountId, { kind: 'owner' }, scopes)).key
}

/** A project, and a key that may use it. */
type Place = { readonly key: string; readonly projectId: string }

export async function makeSession(service: Served, { key, projectId }: Place, name = ''): Promise<string> {
  return made(
    await sendJson(service, { method: 'POST', path: '/v1/agent/sessions', key, body: { projectId, name } }),
  ).id
}

export async function makeFile(
  service: Served,
  { key, projectId }: Place,
  filename = 'a.txt',
): Promise<string> {
  const parts = form([
    { name: 'project_id', value: projectId },
    { name: 'file', filename, content: 'a text' },
  ])
  return made(await send(service, { method: 'POST', path: '/v1/files', key, ...parts })).id
}

/** An empty source sheet of the account. */
export async function makeSheet(db: TestDatabase, owner: { readonly accountId: string }): Promise<string> {
  return (await withTx(db.database, owner, (tx) => createSheet(tx, owner, 'Sheet'))).id
}

/**
 * Creates an empty project through the API.
 * @returns its id.
 */
export async function newProject(service: Served, { key }: { readonly key: string }): Promise<string> {
  return made(await sendJson(service, { method: 'POST', path: '/v1/projects', key, body: { name: 'New' } }))
    .id
}

/** Gives a project instructions, and returns their address as `pathOf` takes it. */
export async function giveInstructions(service: Served, { key, projectId }: Place): Promise<string> {
  const body = { instructions: 'Explain each term.' }
  const path = `/v1/projects/${projectId}`
  return `${projectId}/${made(await sendJson(service, { method: 'PATCH', path, key, body })).instructions_hash}`
}

/**
 * The body of a reply to a call of the set-up.
 * @throws Error when the call failed.
 */
function made(reply: Reply) {
  if (reply.status !== 200) throw new Error(`the set-up failed: ${reply.text}`)
  return JSON.parse(reply.text)
}

export async function makeThings(
  db: Pick<TestDatabase, 'database'>,
  service: Served,
  owner: { readonly accountId: string; readonly key: string },
): Promise<Things> {
  const { accountId, key } = owner
  const place = { accountId, key, projectId: await makeProject(db.database, accountId) }
  return { ...place, ...(await ask(service, place)), fileId: await makeFile(service, place) }
}

/** Resources of a new owner, made before the tests of a file. */
export const useThings = (world: { readonly db: TestDatabase; readonly service: TestService }): Things =>
  fixture(async () => makeThings(world.db, world.service, await makeOwner(world.db)))

/**
 * A finished turn of a session of its own.
 * @returns its run id.
 */
export async function makeRun(service: Served, place: Place): Promise<string> {
  return (await ask(service, place)).runId
}

async function ask(service: Served, { key, projectId }: Place) {
  // Equal ones at once on new connections would be retries: each is a turn of its own.
  const metadata = { made: randomUUID() }
  const body = { ...question('What is a beinoni?'), metadata, x_service: { project_id: projectId } }
  const reply = await sendJson(service, { method: 'POST', path: '/v1/chat/completions', key, body })
  const { session_id: sessionId, run_id: runId } = made(reply).x_service
  return { sessionId, runId }
}

export async function makeOwner(
  db: TestDatabase,
  plan = 'pro',
): Promise<{ readonly accountId: string; readonly key: string }> {
  const { id: accountId } = await makeAccount(db.database, plan)
  return { accountId, key: await ownerKey(db, accountId) }
}
