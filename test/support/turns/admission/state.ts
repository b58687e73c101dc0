import fc from 'fast-check'

/** What an admission finds in the database and what it is asked. Fields have few values, so that rules meet. */
export type AccountState = {
  readonly suspended: boolean
  readonly deleted: boolean
  /** The account's plan has another name since the key was looked up. */
  readonly planChanged: boolean
  readonly plan: PlanState
  readonly keyLimits: KeyLimitsState
  readonly key: 'usable' | 'expires later' | 'revoked' | 'expired' | 'deleted'
  readonly binding: 'project' | 'deleted project' | 'dedicated' | 'owner' | 'owner without project'
  readonly pools: readonly PoolState[]
  /** Whether the numbers of the turns follow their times. They do not after the server's clock was set back. */
  readonly clockSetBack: boolean
  readonly runs: readonly RunState[]
  readonly replicas: readonly ReplicaState[]
}

export type PlanState = {
  readonly apiAccess: boolean
  readonly monthlyMicros: bigint
  readonly turnsPerMinute: number
  readonly concurrentTurns: number
  readonly queuedTurns: number
}

/** Null: no limit. */
export type KeyLimitsState = {
  readonly requestsPerMinute: number | null
  readonly concurrentTurns: number | null
  readonly dayCap: bigint | null
  readonly monthCap: bigint | null
  readonly totalCap: bigint | null
  /** Charges of the key by day. No two are of one day. */
  readonly spent: readonly { readonly daysAgo: number; readonly micros: bigint }[]
}

export type PoolState = {
  readonly available: bigint
  readonly period: 'none' | 'last month' | 'this month'
  readonly expires: 'never' | 'an hour ago' | 'tomorrow' | 'next month'
}

export type RunState = {
  /** Number of its session in the account. */
  readonly session: number
  readonly status: 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled'
  /** Below zero: after the server's time. */
  readonly ageSeconds: number
  readonly endedSecondsAgo: number
  /** False: version 0.1.0 wrote it. */
  readonly numbered: boolean
  /** Whether the same key sent the same request. */
  readonly equal: boolean
  readonly clientAt: string | null
  readonly clientClosed: boolean
  /** Whether the key sent its request. It sent all equal ones. */
  readonly ofKey: boolean
  readonly holdMicros: bigint
}

export type ReplicaState = {
  readonly id: string
  readonly seenSecondsAgo: number
  readonly settledSecondsAgo: number
}

export type RequestState = {
  /** Whether a person sends it from the web pages, without a key. */
  readonly web: boolean
  readonly session: 'new' | 'missing' | number
  readonly project: 'default' | 'another' | 'missing'
  /** The turn to continue from, counted from the session's newest one. */
  readonly after: number | undefined
  readonly idempotencyKey: 'none' | 'new' | 'known' | 'of another request' | 'of another key' | 'expired'
  readonly retried: boolean
  readonly question: boolean
  readonly firstCallMicros: bigint
  readonly maxMicros: bigint
  readonly clientAt: string | null
  /** Replicas that have answered or ended, and the runs that they reported, by number. */
  readonly answered: readonly string[]
  readonly gone: readonly string[]
  readonly lost: readonly (readonly [run: number, replica: string])[]
  /** What an earlier attempt with an unknown result has written. Undefined: there was none. */
  readonly earlier: 'nothing' | 'queued' | 'in_progress' | undefined
  readonly sentSecondsAgo: number
  readonly late: boolean
  readonly underPressure: boolean
}

export const here = 'replica_here'
export const others = ['replica_a', 'replica_b'] as const

/** Most cases have the first value: with faults everywhere no case would come to the later rules. */
const usually = <T>(usual: T, ...rare: readonly T[]) =>
  fc.oneof(
    { weight: 2 + 5 * rare.length, arbitrary: fc.constant(usual) },
    ...rare.map((value) => ({ weight: 1, arbitrary: fc.constant(value) })),
  )

const replica = fc.constantFrom(...others)

const pool: fc.Arbitrary<PoolState> = fc.record({
  available: fc.constantFrom(0n, 1n, 900n, 1_000n, 1_100n, 40_000n, 1_000_000n, 1_000_000n),
  period: usually('this month', 'none', 'last month'),
  expires: usually('next month', 'never', 'an hour ago', 'tomorrow'),
})

const run: fc.Arbitrary<RunState> = fc.record({
  session: fc.constantFrom(0, 0, 0, 1, 2, 3),
  status: fc.constantFrom(
    'queued',
    'in_progress',
    'in_progress',
    'completed',
    'failed',
    'failed',
    'cancelled',
  ),
  ageSeconds: fc.constantFrom(-30, -2, 1, 20, 59, 61, 130, 880, 910),
  endedSecondsAgo: fc.constantFrom(1, 80, 96, 400),
  numbered: usually(true, false),
  equal: fc.constantFrom(false, false, true),
  clientAt: fc.constantFrom(here, here, null, ...others),
  clientClosed: usually(false, true),
  ofKey: usually(true, false),
  holdMicros: fc.constantFrom(0n, 0n, 500n, 1_000n),
})

const replicaState = (id: string): fc.Arbitrary<ReplicaState> =>
  fc.record({
    id: fc.constant(id),
    seenSecondsAgo: fc.constantFrom(1, 1, 30, 900, 1_000),
    settledSecondsAgo: fc.constantFrom(2, 90, 500),
  })

const plan: fc.Arbitrary<PlanState> = fc.record({
  apiAccess: usually(true, false),
  monthlyMicros: fc.constantFrom(0n, 2_000n, 1_000_000n),
  turnsPerMinute: fc.oneof(fc.constant(100), fc.nat(5)),
  concurrentTurns: fc.constantFrom(1, 2, 3, 30, 30),
  queuedTurns: fc.nat(2),
})

const allLimits = fc.record({
  requestsPerMinute: fc.constantFrom(1, 2, 3),
  concurrentTurns: fc.constantFrom(1, 2, 3),
  dayCap: fc.constantFrom(0n, 2_000n, 3_000n),
  monthCap: fc.constantFrom(2_000n, 3_000n, 4_000n),
  totalCap: fc.constantFrom(2_000n, 4_000n, 40_000n, 130_000n),
})
const noLimits = {
  requestsPerMinute: null,
  concurrentTurns: null,
  dayCap: null,
  monthCap: null,
  totalCap: null,
} as const
const limitNames = Object.keys(noLimits) as (keyof typeof noLimits)[]

/** None, one or several. */
const someLimits = fc
  .tuple(
    allLimits,
    fc.oneof(
      fc.constant([]),
      fc.constantFrom(...limitNames).map((name) => [name]),
      fc.subarray(limitNames, { minLength: 2 }),
    ),
  )
  .map(([all, set]) => ({ ...noLimits, ...Object.fromEntries(set.map((name) => [name, all[name]])) }))

const keyLimits: fc.Arbitrary<KeyLimitsState> = fc
  .record({
    limits: someLimits,
    spent: fc.uniqueArray(
      fc.record({ daysAgo: fc.constantFrom(0, 1, 40), micros: fc.constantFrom(1n, 500n, 1_000n) }),
      { selector: ({ daysAgo }) => daysAgo, maxLength: 3 },
    ),
  })
  .map(({ limits, spent }) => ({ ...limits, spent }))

const anyAccount: fc.Arbitrary<AccountState> = fc.record({
  suspended: usually(false, true),
  deleted: usually(false, true),
  planChanged: usually(false, true),
  plan,
  keyLimits,
  key: usually('usable', 'expires later', 'revoked', 'expired', 'deleted'),
  binding: usually('project', 'deleted project', 'dedicated', 'owner', 'owner without project'),
  pools: fc.oneof(fc.array(pool, { minLength: 1, maxLength: 4 }), fc.array(pool, { maxLength: 2 })),
  clockSetBack: usually(false, true),
  runs: fc.array(run, { maxLength: 7 }),
  replicas: fc.tuple(
    fc.constant({ id: here, seenSecondsAgo: 1, settledSecondsAgo: 2 }),
    ...others.map(replicaState),
  ),
})

const anyRequest: fc.Arbitrary<RequestState> = fc.record({
  web: usually(false, true),
  session: fc.oneof(
    { weight: 1, arbitrary: usually<RequestState['session']>('new', 'missing') },
    { weight: 1, arbitrary: fc.constantFrom<RequestState['session']>(0, 0, 0, 1, 2, 3) },
  ),
  project: usually('default', 'another', 'missing'),
  after: fc.option(fc.constantFrom(0, 1, 1, 2), { nil: undefined, freq: 2 }),
  idempotencyKey: usually('none', 'new', 'known', 'of another request', 'of another key', 'expired'),
  retried: fc.constantFrom(false, false, true),
  question: usually(true, false),
  firstCallMicros: fc.constantFrom(0n, 1n, 1_000n, 2_000n, 60_000n),
  maxMicros: fc.constantFrom(1_500n, 50_000n, 50_000n),
  clientAt: usually<string | null>(here, null),
  answered: fc.oneof(fc.constant([]), fc.uniqueArray(replica)),
  gone: fc.oneof(fc.constant([]), fc.constant([]), fc.uniqueArray(replica)),
  lost: fc.oneof(fc.constant([]), fc.array(fc.tuple(fc.nat(6), replica), { maxLength: 2 })),
  earlier: usually<RequestState['earlier']>(undefined, 'nothing', 'queued', 'in_progress'),
  sentSecondsAgo: fc.constantFrom(-60, 10),
  late: usually(false, true),
  underPressure: usually(false, true),
})

/** What comes with a case in which nothing refuses the request before the limits do. */
const orderlyAccount = ({ plan }: AccountState): Partial<AccountState> => ({
  suspended: false,
  deleted: false,
  planChanged: false,
  plan: { ...plan, apiAccess: true },
  key: 'usable',
  binding: 'owner',
  clockSetBack: false,
})
const orderlyRequest: Partial<RequestState> = {
  project: 'default',
  idempotencyKey: 'none',
  question: true,
  earlier: undefined,
  late: false,
  underPressure: false,
}

type Case = readonly [AccountState, RequestState]

/**
 * A third of the cases is of any kind, so that faults meet; most end at one of the first rules. Another third has no fault
 * but one, so that the limits decide, and the last third, of that kind too, repeats nothing either.
 */
export const admissionCase: fc.Arbitrary<Case> = fc
  .tuple(anyAccount, anyRequest, fc.constantFrom('any', 'orderly', 'new'), fc.nat(12))
  .map(([account, request, kind, fault]): Case => {
    if (kind === 'any') return [account, request]
    const allBut = <T extends object>(order: T, first: number): Partial<T> =>
      Object.fromEntries(Object.entries(order).filter((_, i) => first + i !== fault)) as Partial<T>
    const order = orderlyAccount(account)
    const orderly = { ...account, ...allBut(order, 0) }
    const asked = { ...request, ...allBut(orderlyRequest, Object.keys(order).length) }
    if (kind === 'orderly') return [orderly, asked]
    const runs = orderly.runs.map((one) => ({ ...one, equal: false }))
    return [{ ...orderly, runs }, asked]
  })

export type NumberedRun = RunState & { readonly id: string; readonly number: number; readonly turn: number }

/**
 * The runs in the order of their numbers, with the numbers of their turns. Later runs have higher numbers, unless the
 * clock was set back. No two are written in the same instant.
 */
export function numberedRuns({ runs, clockSetBack }: AccountState): readonly NumberedRun[] {
  const ordered = clockSetBack ? runs : runs.toSorted((a, b) => b.ageSeconds - a.ageSeconds)
  return ordered.map((run, i) => ({
    ...run,
    id: `run_${i}`,
    number: i + 1,
    turn: 1 + ordered.slice(0, i).filter(({ session }) => session === run.session).length,
    ageSeconds: run.ageSeconds - i / 100,
  }))
}

export const isOfKey = ({ ofKey, equal }: Pick<RunState, 'ofKey' | 'equal'>): boolean => ofKey || equal

export const isOpen = ({ status }: Pick<RunState, 'status'>): boolean =>
  status === 'queued' || status === 'in_progress'
