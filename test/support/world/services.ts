import type { Database } from '../../../src/db/client.ts'
import { endOfRun } from '../../../src/turns/read/follow.ts'
import type { TerminalEvent } from '../../../src/turns/run/run-events.ts'
import type { ReplicaOptions, WorldOptions } from './options.ts'
import type { Owner } from './owner.ts'
import { call } from './requests.ts'
import { startService, type TestService } from './service.ts'
import type { StoreWorld } from './store.ts'

/** A service on a real socket whose model is a scripted upstream, with an account and its key. */
export type World = StoreWorld &
  Owner & {
    readonly service: TestService
    /** Starts one more replica, over the same database unless another connection to it is given. */
    start(options?: ReplicaOptions, database?: Database): Promise<TestService>
    /** Posts a chat request. */
    chat(body: object, options?: ChatOptions): Promise<Response>
    get<T>(path: string): Promise<T>
    /** Waits for the run's terminal event. */
    end(runId: string): Promise<TerminalEvent>
  }

/** Two replicas over one database. */
export type PairWorld = World & { readonly other: TestService }

export type ChatOptions = {
  /** The replica; default: the first. */
  readonly at?: { readonly url: string }
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export async function addServices(
  base: Omit<StoreWorld, 'close'> & Owner,
  options: WorldOptions,
  cleanup: AsyncDisposableStack,
): Promise<Omit<World, 'close'>> {
  const { db, upstream, accountId, key } = base
  const own = (await options.connect?.(db)) ?? db.database
  const start = async (changed: ReplicaOptions = {}, database = own) => {
    const { model, ...settings } = { ...options, ...changed }
    const scripted = { baseUrl: upstream.baseUrl, name: 'scripted', ...(model !== 'built-in' && model) }
    const service = await startService(database, {
      ...settings,
      ...(model !== 'built-in' && { model: scripted }),
    })
    cleanup.defer(() => service.stop())
    return service
  }
  const service = await start()
  return {
    ...base,
    service,
    start,
    chat: (body, sent = {}) => postChat({ at: service, key, ...sent }, body),
    get: async <T>(path: string) => (await (await call(service, key, 'GET', path)).json()) as T,
    async end(runId) {
      const reader = { database: db.database, runner: service.runner, log: service.app.log }
      const end = await endOfRun(reader, { id: runId, accountId }, AbortSignal.timeout(120_000))
      if (end) return end
      throw new Error(`run ${runId} was given up`)
    },
  }
}

export function postChat(
  { at, key, headers, signal }: ChatOptions & { readonly at: { readonly url: string } },
  body: object,
): Promise<Response> {
  return fetch(`${at.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}
