import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { launchService, type ServiceProcess } from '../service-process.ts'
import { pepperText } from './accounts.ts'
import type { Owner } from './owner.ts'
import { type ChatOptions, postChat } from './services.ts'
import type { StoreWorld } from './store.ts'

/** The service in a process of its own, which a test can kill or pause. */
export type Replica = ServiceProcess & { readonly url: string }

/** Replicas in processes of their own, over one database and one scripted upstream. It opens without a replica. */
export type ProcessWorld = StoreWorld &
  Owner & {
    /** Starts one more replica; `env` overrides settings. */
    start(env?: Readonly<Record<string, string>>): Promise<Replica>
    /** Posts a chat request to a replica. */
    chat(body: object, options: ChatOptions & { readonly at: { readonly url: string } }): Promise<Response>
    /** Lets the lease of a run expire now instead of after 15 s. Its owner must be dead, or it would renew the lease. */
    expireLease(runId: string): Promise<void>
  }

export async function addProcesses(
  base: Omit<StoreWorld, 'close'> & Owner,
  cleanup: AsyncDisposableStack,
): Promise<Omit<ProcessWorld, 'close'>> {
  const { db, upstream, key, rows } = base
  const folder = await mkdtemp(path.join(tmpdir(), 'chat-service-replicas-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  return {
    ...base,
    async start(env = {}) {
      const service = launchService(folder, {
        DATABASE_URL: db.url,
        KEY_PEPPER: pepperText,
        MODEL_BASE_URL: upstream.baseUrl,
        MODEL_NAME: 'scripted',
        ...env,
      })
      // A paused process reacts to no other signal.
      cleanup.defer(async () => void (await service.stop('SIGKILL')))
      return { ...service, url: await service.ready }
    },
    chat: (body, sent) => postChat({ key, ...sent }, body),
    async expireLease(runId) {
      await rows(`update runs set lease_expires_at = now() - interval '1 second' where id = $1`, runId)
    },
  }
}
