import { pino } from 'pino'
import { createKey } from '../../src/accounts/keys/keys.ts'
import { parsePeppers } from '../../src/accounts/keys/pepper.ts'
import { builtInPlans, type Plan, type Plans } from '../../src/accounts/plans.ts'
import type { Principal } from '../../src/accounts/principal.ts'
import { scopes } from '../../src/accounts/scopes.ts'
import { ensureAllowance } from '../../src/billing/pools.ts'
import { defaultPrice } from '../../src/billing/pricing.ts'
import { type Database, withTx } from '../../src/db/client.ts'
import { newId } from '../../src/ids.ts'
import { type Catalogue, openCatalogue } from '../../src/models/model-catalogue.ts'
import { startTurn } from '../../src/turns/admission/start-turn.ts'
import type { TurnInput } from '../../src/turns/admission/turn-input.ts'
import type { LiveRun } from '../../src/turns/execution/live-runs.ts'
import type { TurnServices } from '../../src/turns/execution/run-turn.ts'
import { closeRun } from '../../src/turns/recording/finish-run.ts'
import { type Close, createJournal, type RunJournal } from '../../src/turns/recording/journal.ts'
import { createSharedAppends } from '../../src/turns/recording/shared-appends.ts'
import type { Signals } from '../../src/turns/replicas/signals.ts'
import type { Run } from '../../src/turns/run/run.ts'
import type { RunEvent, TerminalEvent } from '../../src/turns/run/run-events.ts'
import type { RunRequest } from '../../src/turns/run/run-request.ts'
import { defaultTurnLimits } from '../../src/turns/run/turn-limits.ts'
import { insertProject } from '../../src/turns/sessions/projects.ts'
import { makeAccount } from './service.ts'

/** A principal who starts turns without HTTP, in their own project and on a plan made for the test. */
export type Person = { readonly principal: Principal; readonly plans: Plans }

export async function makePerson(database: Database, plan: Partial<Plan> = {}): Promise<Person> {
  const { id: accountId } = await makeAccount(database)
  const projectId = await withTx(
    database,
    'system',
    async (tx) => (await insertProject(tx, accountId, 'P')).id,
  )
  const own = { ...builtInPlans.of('pro'), ...plan }
  return {
    principal: {
      accountId,
      plan: own,
      keyId: null,
      scopes: new Set(scopes),
      binding: { kind: 'project', projectId },
    },
    plans: { names: [own.name], of: () => own },
  }
}

/** The same principal with a key, and with this month's allowance granted, so that a start takes one call. */
export async function withKey(database: Database, { principal }: Person): Promise<Principal> {
  const { accountId, plan, binding } = principal
  const reach = { kind: 'project', projectId: binding.projectId ?? '' } as const
  return withTx(database, 'system', async (tx) => {
    await ensureAllowance(tx, accountId, plan)
    const { info } = await createKey(tx, parsePeppers('a pepper of this test'), accountId, {
      name: 'k',
      reach,
    })
    return { ...principal, keyId: info.id }
  })
}

export const plainRequest: RunRequest = {
  sampling: {},
  clientTools: [],
  toolChoice: 'auto',
  sources: 'inline',
}

export type StartOptions = {
  readonly sessionId?: string
  readonly owner?: string
  readonly firstCallMicros?: bigint
  readonly text?: string
}

/** A question in the form that admission takes. */
export function plainInput(options: StartOptions = {}): TurnInput {
  return {
    model: 'service',
    firstCallMicros: options.firstCallMicros ?? 2_000_000n,
    messages: [{ role: 'user', content: options.text ?? 'question' }],
    sessionId: options.sessionId,
    projectId: undefined,
    request: plainRequest,
    identity: { hash: Buffer.alloc(32), key: undefined, retried: false },
    onDisconnect: 'continue',
  }
}

/** Admits a turn; its owner is a replica that does not exist, unless one is named. */
export async function start(database: Database, person: Person, options: StartOptions = {}): Promise<Run> {
  const { principal, plans } = person
  const lease = { owner: options.owner ?? 'replica_gone', seconds: 15 }
  const admission = { plans, limits: defaultTurnLimits, lease, runId: newId('run') }
  const started = await withTx(database, principal, (tx) =>
    startTurn(tx, principal, plainInput(options), admission),
  )
  return started.run
}

export async function scriptedCatalogue(baseUrl: string): Promise<Catalogue> {
  return openCatalogue({ baseUrl, apiKey: undefined, name: 'scripted', catalogueFile: undefined })
}

/**
 * Services for one attempt at a run without a runner: it renews no lease, claims nothing and receives no
 * signal.
 */
export function turnServices(database: Database, catalogue: Catalogue): TurnServices {
  const signals: Signals = {
    listening: () => true,
    send: () => undefined,
    subscribe: () => () => undefined,
    waitForEvents: async () => undefined,
    close: async () => undefined,
  }
  return {
    database,
    catalogue,
    plans: builtInPlans,
    log: pino({ level: 'silent' }),
    signals,
    appends: createSharedAppends(database),
  }
}

/** The terminal event of a cancelled run without text. */
export const emptyEnd = (cost: bigint): TerminalEvent => ({
  type: 'run.cancelled',
  end: {
    text: '',
    source_list: '',
    sources: [],
    citations: [],
    unknown_marks: 0,
    unknown_refs: [],
    quotations: [],
    files: [],
    tool_calls: [],
    usage: {
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
      model_calls: 0,
      tool_calls: 0,
      estimated: false,
      cost_micros: cost.toString(),
    },
  },
})

/** The data that closes a run's journal. */
export const closing =
  (run: Run): Close<TerminalEvent> =>
  (tx, event, last) => {
    const closing = closeRun(tx, run, event, last)
    return { ...closing, done: closing.done.then(() => undefined) }
  }

/** The journal of a new attempt, without running the attempt. */
export function journalOf(
  database: Database,
  run: Run,
  onFault: (fault: unknown) => void = () => undefined,
): RunJournal {
  return createJournal(database, run, {
    price: defaultPrice,
    costMicros: 0n,
    appends: createSharedAppends(database),
    leave: new AbortController().signal,
    onCommit: () => undefined,
    onFault,
  })
}

/** Events that a run's live readers receive: up to its end, until it is given up, or for `maxMs`. */
export async function saidIn(live: LiveRun, maxMs: number): Promise<readonly RunEvent[]> {
  const said: RunEvent[] = []
  await live.read(AbortSignal.timeout(maxMs), (batch) => {
    said.push(...batch)
    return false
  })
  return said
}

/** Ends a run as its owner would, without driving it. */
export async function endRun(database: Database, run: Run): Promise<void> {
  const journal = journalOf(database, run)
  await journal.end(emptyEnd, closing(run))
  await journal.close()
}
