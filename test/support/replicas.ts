import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { checkInvariants } from './invariants.ts'
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts'
import { makeAccount, makeKey, pepperText } from './service.ts'
import { launchService, type ServiceProcess } from './service-process.ts'

/** One replica: the service in its own process, which a test can kill or suspend. */
export type Replica = ServiceProcess & { readonly url: string }

/**
 * Replicas on one database with one scripted upstream as their model, an account, and a key for all its
 * projects.
 */
export type ReplicaWorld = {
  readonly db: TestDatabase
  readonly upstream: ScriptedUpstream
  readonly key: string
  /** Starts one more replica; `env` overrides settings. */
  start(env?: Readonly<Record<string, string>>): Promise<Replica>
  /** Posts a chat request; `headers` are added to the usual ones. */
  chat(
    at: { readonly url: string },
    body: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>
  /**
   * Expires the run's lease now instead of after 15 s. Its owner must be dead, because it would renew the
   * lease.
   */
  expireLease(runId: string): Promise<void>
  /** The rows of a statement with `$1` for `id`. */
  rows<T extends object>(statement: string, id: string): Promise<readonly T[]>
  /**
   * Stops everything.
   * @returns the invariants of money and runs that do not hold.
   */
  close(): Promise<string[]>
}

export async function openReplicaWorld(): Promise<ReplicaWorld> {
  const folder = await mkdtemp(path.join(tmpdir(), 'chat-service-replicas-'))
  const db = await createTestDatabase()
  const upstream = await startScriptedUpstream()
  const { id: accountId } = await makeAccount(db.database, 'unlimited')
  const key = await makeKey(db.database, accountId, { reach: { kind: 'owner' } })
  const started: ServiceProcess[] = []
  const rows = async <T extends object>(statement: string, id: string) =>
    (await db.database.systemPool.query<T>(statement, [id])).rows
  return {
    db,
    upstream,
    key,
    async start(env = {}) {
      const service = launchService(folder, {
        DATABASE_URL: db.url,
        KEY_PEPPER: pepperText,
        MODEL_BASE_URL: upstream.baseUrl,
        MODEL_NAME: 'scripted',
        ...env,
      })
      started.push(service)
      return { ...service, url: await service.ready }
    },
    chat: (at, body, headers = {}) =>
      fetch(`${at.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    async expireLease(runId) {
      await rows(`update runs set lease_expires_at = now() - interval '1 second' where id = $1`, runId)
    },
    rows,
    async close() {
      // A suspended process reacts to no other signal.
      await Promise.all(started.map((service) => service.stop('SIGKILL')))
      await upstream.close()
      const broken = await checkInvariants(db.database)
      await db.drop()
      await rm(folder, { recursive: true, force: true })
      return broken
    },
  }
}
