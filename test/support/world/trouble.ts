import { setTimeout as delay } from 'node:timers/promises'
import type { PrivatePostgres } from '../private-postgres.ts'
import { readStream } from '../sse-rules.ts'
import { callTools, reply, type UpstreamBody } from '../upstream-scripts.ts'
import { LiveStream } from './live-stream.ts'
import { ask } from './requests.ts'
import type { PairWorld } from './services.ts'

/** Two replicas on their own Postgres, which a test can disturb. */
export type TroubleWorld = PairWorld & {
  readonly postgres: PrivatePostgres
  /** Uncaught errors of this process; each would have ended a service. */
  readonly uncaught: readonly unknown[]
  /** Starts a turn on the first replica that writes a file and then streams text for about six seconds. */
  startTurn(): Promise<Turn>
  /** Sends `request` every 150 ms until `stop` is called; `seen` grows with each reply. */
  watch(request: () => Promise<Response>): Watch
}

type Watch = { readonly seen: readonly Seen[]; stop(): Promise<void> }

export type Turn = { readonly runId: string; readonly stream: LiveStream }

/** One request of a client that retries; times in ms on this process's clock. */
export type Seen = {
  readonly status: number
  readonly sentAt: number
  readonly tookMs: number
  readonly retryAfter: string | null
  readonly code: string | undefined
}

/** The answer of the turns that `startTurn` starts. */
export const spoken = Array.from({ length: 60 }, (_, n) => `Sentence ${n} of the answer.`).join(' ')

/** Answers at once to `Quick`; otherwise it writes a file, and then speaks for about six seconds. */
export function troubleScript(sent: UpstreamBody) {
  if (JSON.stringify(sent.messages.at(-1)?.content).includes('Quick')) return reply('Yes.')
  if (sent.messages.some(({ role }) => role === 'tool')) return reply(spoken, { chunks: 60, delayMs: 100 })
  return callTools([{ name: 'write_file', arguments: { name: 'a.txt', content: 'Kept once.' } }])
}

export function addTrouble(
  base: Omit<PairWorld, 'close'>,
  postgres: PrivatePostgres,
  cleanup: AsyncDisposableStack,
): Omit<TroubleWorld, 'close'> {
  let asked = 0
  return {
    ...base,
    postgres,
    uncaught: collectUncaught(cleanup),
    async startTurn() {
      asked += 1
      const response = await base.chat(ask(`Question ${asked}`, { stream: true }))
      if (response.status !== 200) throw new Error(await response.text())
      const stream = new LiveStream(response)
      await stream.until('Sentence 0')
      return { runId: response.headers.get('x-service-run-id') ?? '', stream }
    },
    watch(request) {
      const watching = watch(request)
      cleanup.defer(watching.stop)
      return watching
    },
  }
}

function collectUncaught(cleanup: AsyncDisposableStack): readonly unknown[] {
  const uncaught: unknown[] = []
  const collect = (error: unknown) => void uncaught.push(error)
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, collect)
    cleanup.defer(async () => void process.off(event, collect))
  }
  return uncaught
}

function watch(request: () => Promise<Response>): Watch {
  const over = new AbortController()
  const seen: Seen[] = []
  const sent: Promise<void>[] = []
  const one = async () => {
    const sentAt = performance.now()
    const response = await request()
    const { error } = (await response.json()) as { error?: { code?: string } }
    const { status, headers } = response
    const tookMs = performance.now() - sentAt
    seen.push({ status, sentAt, tookMs, retryAfter: headers.get('retry-after'), code: error?.code })
  }
  const done = (async () => {
    while (!over.signal.aborted) {
      // A request whose turn was admitted before the trouble may wait for its end, and others are sent meanwhile.
      sent.push(one())
      await delay(200, undefined, { signal: over.signal }).catch(() => undefined)
    }
    await Promise.all(sent)
  })()
  return {
    seen,
    async stop() {
      over.abort()
      await done
    },
  }
}

/** Reads the turn to its end, both from the client's stream and from the database. */
export async function outcomeOf(world: Pick<TroubleWorld, 'rows'>, { runId, stream }: Turn) {
  const { problems, text, error } = readStream(await stream.rest())
  const [row] = await world.rows(
    `select r.status, r.epoch, r.step_count as steps, r.cost_micros > 0 and r.cost_micros = -(t.allowance_micros + t.granted_micros) as charged,
      (select sum(cost_micros) from run_log where run_id = r.id) = r.cost_micros as as_its_steps,
      (select count(*)::int from ledger where run_id = r.id) as charges,
      (select count(*)::int from file_versions where run_id = r.id) as versions,
      (select string_agg(event ->> 'text', '' order by seq, at) from run_log, jsonb_array_elements(entries) with ordinality as e (event, at)
        where run_id = r.id) as text
    from runs r left join ledger t on t.run_id = r.id where r.id = $1`,
    runId,
  )
  return { problems, text, error, row }
}

/** The result of `outcomeOf` for an undisturbed turn. */
export const undisturbed = {
  problems: [],
  text: spoken,
  error: undefined,
  row: {
    status: 'completed',
    epoch: 1,
    steps: 3,
    charged: true,
    as_its_steps: true,
    charges: 1,
    versions: 1,
    text: spoken,
  },
}
