import fc from 'fast-check'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { estimateTokens } from '../../src/agent/tokens.ts'
import { defaultPrice } from '../../src/billing/pricing.ts'
import { withTx } from '../../src/db/client.ts'
import type { Catalogue } from '../../src/models/model-catalogue.ts'
import { createDrivenRuns, type DrivenRuns } from '../../src/turns/drive/driven-runs.ts'
import type { LiveRun } from '../../src/turns/drive/live-runs.ts'
import type { Runner } from '../../src/turns/drive/runner.ts'
import { clientDisconnected } from '../../src/turns/read/client-disconnect.ts'
import { readLog } from '../../src/turns/record/run-log.ts'
import { createTurnStore } from '../../src/turns/record/turn-store.ts'
import { ClientConnections } from '../../src/turns/replicas/client-connections.ts'
import { createOutageLog } from '../../src/turns/replicas/outage-log.ts'
import type { Run } from '../../src/turns/run/run.ts'
import { isTerminal, type RunEvent } from '../../src/turns/run/run-events.ts'
import { requestCancel } from '../../src/turns/run/runs.ts'
import { times } from '../support/full.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { useCaller } from '../support/turns/caller.ts'
import { claimNext } from '../support/turns/claim.ts'
import { scriptedCatalogue, turnServices } from '../support/turns/services.ts'
import { start } from '../support/turns/start.ts'
import { type Action, callTools, gate, type Script } from '../support/upstream-scripts.ts'
import { useStore } from '../support/world/store.ts'

let upstream: ScriptedUpstream
let catalogue: Catalogue
let driven: DrivenRuns

const world = useStore()
const { db } = world
const person = useCaller(db, { turnsPerMinute: 10_000, monthlyMicros: 10_000_000_000n })
beforeAll(async () => {
  upstream = await startScriptedUpstream()
  catalogue = await scriptedCatalogue(upstream.baseUrl)
  const outage = createOutageLog(pino({ level: 'silent' }), 'a test')
  driven = createDrivenRuns({ ...turnServices(db.database, catalogue), outage }, () => undefined)
})
afterAll(async () => {
  await catalogue.close()
  await upstream.close()
})

/** What ends an attempt at the turn. `kill` leaves what was not committed unwritten, as the death of its process does. */
type Ending = 'kill' | 'cancel' | 'disconnect' | 'deadline' | 'fail' | 'finish'

type Attempt = {
  readonly pieces: readonly string[]
  readonly ending: Ending
  /** It comes while the last piece is under way; else when readers have seen it. */
  readonly races: boolean
  /** The turn is cancelled after its owner was killed, and before it is taken over. */
  readonly cancelledWhileDead: boolean
}

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('word ', 'מילה ', 'a longer piece of text, with some words. ') },
  // More than the hold covers.
  { weight: 1, arbitrary: fc.constantFrom('אבגד '.repeat(5_000), 'x'.repeat(9_000)) },
)
const attempt = (ending: fc.Arbitrary<Ending>): fc.Arbitrary<Attempt> =>
  fc.record({
    pieces: fc.array(piece, { maxLength: 4 }),
    ending,
    races: fc.boolean(),
    cancelledWhileDead: fc.boolean(),
  })
const plan = fc.record({
  withTool: fc.boolean(),
  killed: fc.array(attempt(fc.constant('kill' as const)), { maxLength: 3 }),
  last: attempt(fc.constantFrom('cancel', 'disconnect', 'deadline', 'fail', 'finish')),
})

/** An attempt under way: what its model says comes when its gates open. */
class Stage {
  readonly #begun = gate()
  readonly #gates: ReturnType<typeof gate>[]
  readonly #end = gate()
  readonly #attempt: Attempt
  shown = ''

  constructor(attempt: Attempt) {
    this.#attempt = attempt
    this.#gates = attempt.pieces.map(() => gate())
  }

  script(): Script {
    const saying = this.#attempt.pieces.flatMap((text, i): Action[] => [
      { waitFor: this.#gates[i]?.opened ?? Promise.resolve() },
      { text },
    ])
    const last: Action[] = this.#attempt.ending === 'fail' ? [{ destroy: true }] : []
    return [
      { status: 200 },
      { call: () => this.#begun.open() },
      ...saying,
      { waitFor: this.#end.opened },
      { text: '' },
      { usage: null },
      ...last,
    ]
  }

  /** Plays the attempt up to its ending; one that is over before it calls the model says nothing. */
  async play(run: Run, live: LiveRun): Promise<void> {
    const reader = live.read(new AbortController().signal, (events) => this.#hear(events))
    const over = reader.then(() => true)
    if (!(await Promise.race([this.#begun.opened, over]))) {
      for (const [i, one] of this.#gates.entries()) {
        one.open()
        const isLast = i === this.#gates.length - 1
        // A blank at the end is held back: a citation may follow.
        const want = this.#attempt.pieces
          .slice(0, i + 1)
          .join('')
          .trimEnd()
        if (isLast && this.#attempt.races) break
        await expect.poll(() => this.shown.trimEnd() === want, { interval: 1 }).toBe(true)
      }
      await this.#ends(run)
    }
    await driven.byId.get(run.id)?.done
    await over
  }

  #hear(events: readonly RunEvent[]): boolean {
    for (const event of events) if (event.type === 'text.delta') this.shown += event.text
    return events.some(isTerminal)
  }

  async #ends(run: Run): Promise<void> {
    const stop = driven.byId.get(run.id)?.stop
    switch (this.#attempt.ending) {
      case 'kill':
        stop?.leave(new Error('killed'))
        break
      case 'cancel':
        await withTx(db.database, run, (tx) => requestCancel(tx, run.id))
        stop?.end('cancelled')
        break
      case 'disconnect': {
        const lease = { owner: 'replica_of_the_client', seconds: 15 }
        const leaving = new AbortController().signal
        const store = createTurnStore(db.database)
        const runner = { lease, leaving, store, cancel: () => stop?.end('cancelled') }
        const services = { database: db.database, runner: runner as unknown as Runner, log: pino() }
        const client = new ClientConnections().open()
        client.attach(run.id)
        await clientDisconnected(services, run, client, { cancel: true })
        break
      }
      case 'deadline':
        stop?.end('deadline')
        break
      default:
        this.#end.open()
    }
  }
}

/** What each attempt is known to have shown of the step that no attempt has finished. */
async function committedTexts(run: Run): Promise<readonly string[]> {
  const { events, steps } = await withTx(db.database, run, (tx) => readLog(tx, run.id))
  const texts = new Map<number, string>()
  for (const { epoch: of, event } of events) {
    if (event.type !== 'text.delta' || event.step !== steps.length + 1) continue
    texts.set(of, (texts.get(of) ?? '') + event.text)
  }
  return [...texts.values()]
}

type Ended = {
  readonly status: string
  readonly cost: string
  readonly held: string
  readonly charges: string[]
  readonly estimated: boolean
}

async function endOf(run: Run): Promise<Ended> {
  const { rows } = await db.database.systemPool.query<Ended>(
    `select status, cost_micros::text as cost, hold_micros::text as held, (reply #>> '{end,usage,estimated}')::boolean as estimated,
      array(select (-(allowance_micros + granted_micros))::text from ledger where run_id = runs.id) as charges
    from runs where id = $1`,
    [run.id],
  )
  if (!rows[0]) throw new Error('no run')
  return rows[0]
}

type Plan = { readonly withTool: boolean; readonly killed: readonly Attempt[]; readonly last: Attempt }

async function play({ withTool, killed, last }: Plan): Promise<void> {
  let run = await start(db.database, person)
  let stage: Stage | undefined
  let known: readonly string[] = []
  for (const [i, one] of [...killed, last].entries()) {
    if (i > 0) run = await claimNext(db.database, person, run)
    const playing = new Stage(one)
    stage = playing
    upstream.setDefault(({ messages }) =>
      withTool && !messages.some(({ role }) => role === 'tool')
        ? callTools([{ name: 'list_files', arguments: {} }], { usage: null })
        : playing.script(),
    )
    await playing.play(run, driven.start(run))
    if (one.ending !== 'kill' || (await endOf(run)).status !== 'in_progress') break
    known = await committedTexts(run)
    if (one.cancelledWhileDead) await withTx(db.database, run, (tx) => requestCancel(tx, run.id))
  }
  const { status, cost, held, charges, estimated } = await endOf(run)
  const own = stage?.shown ?? ''
  const tokens = (status === 'completed' ? [own] : [own, ...known]).map(estimateTokens)
  const shown = BigInt(Math.max(...tokens)) * defaultPrice.outputMicrosPerToken
  const [hold, charge] = [BigInt(held), BigInt(cost)]
  expect(status).toMatch(/completed|failed|cancelled/)
  expect(charge).toBeLessThanOrEqual(hold)
  expect(charge, `${status}: pays for its text`).toBeGreaterThanOrEqual(shown < hold ? shown : hold)
  expect(charges).toEqual(status === 'failed' && charge === 0n ? [] : [cost])
  if (shown > 0n) expect(estimated).toBe(true)
}

test('a turn pays once for what it showed, after any order of cancels and takeovers', async () => {
  await fc.assert(fc.asyncProperty(plan, play), { numRuns: times(20, 60) })
})
