import { endOfRun } from '../../src/turns/reading/follow.ts'
import type { TerminalEvent } from '../../src/turns/run/run-events.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { checkInvariants } from './invariants.ts'
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts'
import { call, makeAccount, makeKey, startTestService, type TestService } from './service.ts'

/**
 * A service on a real socket with a scripted upstream as its model, an account, and a key for all its
 * projects.
 */
export type ChatWorld = {
  readonly db: TestDatabase
  readonly service: TestService
  readonly upstream: ScriptedUpstream
  readonly accountId: string
  readonly key: string
  /** Posts a chat request. */
  chat(body: object, options?: { readonly key?: string; readonly signal?: AbortSignal }): Promise<Response>
  get<T>(path: string): Promise<T>
  /** The only row of a statement with `$1` for `id`. */
  row<T extends object>(statement: string, id: string): Promise<T>
  /** Waits for the run's terminal event. */
  end(runId: string): Promise<TerminalEvent>
  /**
   * Stops everything.
   * @returns the invariants of money and runs that do not hold.
   */
  close(): Promise<string[]>
}

export async function openChatWorld(
  options: NonNullable<Parameters<typeof startTestService>[1]> = {},
): Promise<ChatWorld> {
  const db = await createTestDatabase()
  const upstream = await startScriptedUpstream()
  const model = { baseUrl: upstream.baseUrl, apiKey: undefined, name: 'scripted', ...options.model }
  const service = await startTestService(db.database, { ...options, model })
  const { id: accountId } = await makeAccount(db.database)
  const key = await makeKey(db.database, accountId, { reach: { kind: 'owner' } })
  const { systemPool } = db.database
  return {
    db,
    service,
    upstream,
    accountId,
    key,
    chat: (body, { key: other = key, signal } = {}) =>
      fetch(`${service.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${other}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
    get: async <T>(path: string) => (await (await call(service, key, 'GET', path)).json()) as T,
    row: async <T extends object>(statement: string, id: string) => {
      const { rows } = await systemPool.query<T>(statement, [id])
      if (rows.length !== 1) throw new Error(`${rows.length} rows for ${id}: ${statement}`)
      return rows[0] as T
    },
    async end(runId) {
      const reader = { database: db.database, runner: service.runner, log: service.app.log }
      const end = await endOfRun(reader, { id: runId, accountId }, AbortSignal.timeout(20_000))
      if (end) return end
      throw new Error(`run ${runId} was given up`)
    },
    async close() {
      await service.stop()
      await upstream.close()
      const broken = await checkInvariants(db.database)
      await db.drop()
      return broken
    },
  }
}

export type ServiceInfo = {
  readonly project_id: string
  readonly session_id: string
  readonly run_id: string
  readonly message_id: string
  readonly status: string
  readonly usage: { readonly cost: number; readonly model_calls: number; readonly tool_calls: number }
  readonly files: readonly { readonly id: string; readonly filename: string }[]
  readonly error?: { readonly code: string; readonly message: string }
}

export type Completion = {
  readonly id: string
  readonly choices: readonly {
    readonly finish_reason: string
    readonly message: {
      readonly content: string
      readonly tool_calls?: readonly {
        readonly id: string
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    }
  }[]
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly cost: number
  }
  readonly x_service: ServiceInfo
}

export type ErrorReply = {
  readonly error: { readonly message: string; readonly type: string; readonly code: string }
}

/** Reads a streamed reply block by block, as far as the test wants. */
export class LiveStream {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  body = ''

  constructor(response: Response) {
    if (!response.body) throw new Error('the reply has no body')
    this.#reader = response.body.getReader()
  }

  /** Reads until the body contains `text`. */
  async until(text: string): Promise<void> {
    while (!this.body.includes(text)) if (!(await this.#more())) throw new Error(`ended before ${text}`)
  }

  async rest(): Promise<string> {
    while (await this.#more());
    return this.body
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    this.body += this.#decoder.decode(value, { stream: !done })
    return !done
  }
}

export const ask = (text: string, more: object = {}) => ({
  model: 'service',
  messages: [{ role: 'user', content: text }],
  ...more,
})
