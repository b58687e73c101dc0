import { endedAgo } from './prepared-runs.ts'
import {
  type AccountState,
  here,
  isOfKey,
  isOpen,
  type NumberedRun,
  numberedRuns,
  type RequestState,
} from './state.ts'

/**
 * The rules of admission in plain TypeScript, as `docs/how-a-turn-starts.md` states them. Times are seconds before now:
 * less is later.
 */
export type Expected =
  | { readonly decision: string }
  | {
      readonly decision: 'admitted'
      readonly status: 'queued' | 'in_progress'
      readonly turn: number
      readonly accountTurn: number
      /** Micro-credits held, by pool in the order in which they are drawn. */
      readonly parts: readonly bigint[]
    }

export function expectedOf(account: AccountState, request: RequestState, now: Date): Expected {
  const runs = numberedRuns(account)
  const decision =
    refusalOfAccount(account, request) ??
    earlierRun(account, request, runs) ??
    (request.underPressure ? 'overloaded' : undefined) ??
    refusalOfPlace(account, request, runs) ??
    refusalOfPlan(account, request, runs) ??
    refusalOfKey(account, request, runs, now)
  return decision === undefined ? admission(account, request, runs, now) : { decision }
}

function refusalOfAccount(account: AccountState, request: RequestState): string | undefined {
  if (account.deleted) return 'not_found'
  if (request.late) return 'late'
  if (account.suspended) return 'account_suspended'
  if (request.web) return undefined
  if (account.key !== 'usable' && account.key !== 'expires later') return 'invalid_api_key'
  return account.plan.apiAccess ? undefined : 'plan_without_api_access'
}

/** The run that the request repeats, or what must be known about the clients of equal requests. */
function earlierRun(
  account: AccountState,
  request: RequestState,
  runs: readonly NumberedRun[],
): string | undefined {
  if (request.earlier !== undefined && request.earlier !== 'nothing') return 'written'
  if (request.idempotencyKey !== 'none') return runOfKey(request, runs)
  if (request.web) return undefined
  const equal = runs
    .filter((run) => run.equal && run.ageSeconds < 900)
    .toSorted((a, b) => a.ageSeconds - b.ageSeconds)
  const unknown = request.retried ? [] : unknownReplicas(account, request, equal)
  if (unknown.length > 0) return `clients unknown at ${unknown}`
  const repeated =
    equal.find((run) => hasLostClient(account, request, equal, run)) ??
    (request.retried ? newestOf(account, equal) : undefined)
  if (repeated) return `repeated ${repeated.id}`
  return equal.some((run) => isLaterElsewhere(run, request)) ? 'overtaken' : undefined
}

function runOfKey({ idempotencyKey }: RequestState, runs: readonly NumberedRun[]): string | undefined {
  if (runs.length === 0) return undefined
  if (idempotencyKey === 'known') return 'repeated run_0'
  return idempotencyKey === 'of another request' ? 'idempotency_key_reused' : undefined
}

function newestOf({ replicas }: AccountState, equal: readonly NumberedRun[]): NumberedRun | undefined {
  const known = replicas.filter(({ seenSecondsAgo }) => seenSecondsAgo < 960).map(({ id }) => id)
  return equal.find(({ clientAt }) => clientAt === null || known.includes(clientAt))
}

/** All open runs belong to this process. */
const isLaterElsewhere = (run: NumberedRun, { sentSecondsAgo }: RequestState) =>
  run.clientAt === null && !isOpen(run) && run.ageSeconds < sentSecondsAgo

/** Replicas that may serve the client of an equal run and have not reported. */
function unknownReplicas({ replicas }: AccountState, request: RequestState, equal: readonly NumberedRun[]) {
  const reported = new Set([here, ...request.answered, ...request.gone])
  return replicas
    .filter(({ id, seenSecondsAgo }) => !reported.has(id) && seenSecondsAgo < 960)
    .filter(({ id, seenSecondsAgo, settledSecondsAgo }) => {
      const settled = seenSecondsAgo < 5 ? 95 : settledSecondsAgo
      return equal.some((run) => run.clientAt === id && (isOpen(run) || endedAgo(run) < settled))
    })
    .map(({ id }) => id)
}

function hasLostClient(
  { replicas }: AccountState,
  request: RequestState,
  equal: readonly NumberedRun[],
  run: NumberedRun,
): boolean {
  if (run.clientClosed) return true
  const reporter = new Map(request.lost.map(([number, replica]) => [`run_${number}`, replica])).get(run.id)
  if (reporter !== undefined && (run.clientAt === null || run.clientAt === reporter)) return true
  if (run.clientAt === null || !request.gone.includes(run.clientAt)) return false
  const settled =
    replicas.find(({ id }) => id === run.clientAt)?.settledSecondsAgo ?? Number.POSITIVE_INFINITY
  const isLost = (one: NumberedRun) =>
    one.clientAt === run.clientAt && (isOpen(one) || endedAgo(one) < settled)
  return equal.find(isLost) === run
}

function refusalOfPlace(account: AccountState, request: RequestState, runs: readonly NumberedRun[]) {
  const turns = runs.filter((run) => run.session === request.session)
  const isMissing =
    request.session === 'missing' || (request.session === 'new' && lacksProject(account, request))
  if (isMissing) return 'not_found'
  if (isNotLast(request, turns)) return 'not the last turn'
  if (!request.question) return 'invalid_value'
  return turns.filter(isOpen).length > account.plan.queuedTurns ? 'session_busy' : undefined
}

function lacksProject({ binding }: AccountState, { project }: RequestState): boolean {
  const seesAll = binding === 'owner' || binding === 'owner without project'
  if (project === 'default') return binding === 'deleted project'
  return project === 'missing' || !seesAll
}

/** Whether a turn after the one to continue from has not failed. */
const isNotLast = ({ after = 0 }: RequestState, turns: readonly NumberedRun[]) =>
  turns.length > after && turns.slice(turns.length - after).some(({ status }) => status !== 'failed')

function refusalOfPlan({ plan }: AccountState, { session }: RequestState, runs: readonly NumberedRun[]) {
  if (startsInWindow(runs) >= plan.turnsPerMinute) return 'rate_limit_exceeded'
  const taken = new Set(runs.filter(isOpen).map((run) => run.session))
  const needsSlot = typeof session !== 'number' || !taken.has(session)
  return needsSlot && taken.size >= plan.concurrentTurns ? 'too_many_concurrent_runs' : undefined
}

function refusalOfKey(account: AccountState, request: RequestState, runs: readonly NumberedRun[], now: Date) {
  if (request.web) return undefined
  const { requestsPerMinute: starts, concurrentTurns: slots } = account.keyLimits
  const own = runs.filter(isOfKey)
  if (starts !== null && own.filter(({ ageSeconds }) => ageSeconds < 60).length >= starts)
    return 'rate_limit_exceeded'
  const busy = new Set(own.filter(isOpen).map(({ session }) => session))
  const isBusy = typeof request.session === 'number' && busy.has(request.session)
  if (slots !== null && busy.size >= slots && !isBusy) return 'too_many_concurrent_runs'
  return boundedBy(request, request.firstCallMicros) > roomOfKey(account, runs, now)
    ? 'key_cap_reached'
    : undefined
}

/** What the caps of the key leave, in micro-credits. Days and months are in UTC. */
function roomOfKey({ keyLimits }: AccountState, runs: readonly NumberedRun[], now: Date): bigint {
  const dayOf = (daysAgo: number) => new Date(now.getTime() - daysAgo * 86_400_000).toISOString().slice(0, 10)
  const spentIn = (period: string) =>
    sumOf(keyLimits.spent.filter(({ daysAgo }) => dayOf(daysAgo).startsWith(period)))
  const held = runs
    .filter((run) => isOfKey(run) && isOpen(run))
    .reduce((sum, run) => sum + run.holdMicros, 0n)
  const today = dayOf(0)
  const caps = [
    [keyLimits.dayCap, spentIn(today)],
    [keyLimits.monthCap, spentIn(today.slice(0, 7))],
    [keyLimits.totalCap, spentIn('')],
  ] as const
  const rooms = caps.flatMap(([cap, spent]) => (cap === null ? [] : [cap - spent - held]))
  return rooms.reduce((least, room) => (room < least ? room : least), unbounded)
}

const unbounded = 10n ** 18n

const sumOf = (amounts: readonly { readonly micros: bigint }[]) =>
  amounts.reduce((sum, { micros }) => sum + micros, 0n)

const boundedBy = ({ maxMicros }: RequestState, micros: bigint) => (micros < maxMicros ? micros : maxMicros)

const byTime = (runs: readonly NumberedRun[]) => runs.toSorted((a, b) => b.ageSeconds - a.ageSeconds)
const numberOf = (run: NumberedRun | undefined) => (run?.numbered ? run.number : undefined)

/** The number of the newest turn: of the newest run, or of an open one if the clock was set back. */
function newestNumber(runs: readonly NumberedRun[]): number | undefined {
  const numbers = [byTime(runs).at(-1), ...runs.filter(isOpen)].flatMap((run) => numberOf(run) ?? [])
  return numbers.length === 0 ? undefined : Math.max(...numbers)
}

function startsInWindow(runs: readonly NumberedRun[]): number {
  const inWindow = byTime(runs).filter(({ ageSeconds }) => ageSeconds < 60)
  const [newest, first] = [newestNumber(runs), numberOf(inWindow[0])]
  if (inWindow.length === 0) return 0
  return newest === undefined || first === undefined ? inWindow.length : newest - first + 1
}

type Pool = { readonly micros: bigint; readonly expires: number }

function admission(
  account: AccountState,
  request: RequestState,
  runs: readonly NumberedRun[],
  now: Date,
): Expected {
  const wanted = boundedBy(request, request.firstCallMicros)
  const room = request.web ? unbounded : roomOfKey(account, runs, now)
  const wished = boundedBy(request, 2n * request.firstCallMicros)
  const parts = BigInt(Math.max(20, 2 * account.plan.concurrentTurns))
  const ample = room / parts < wished ? wanted : wished
  const pools = usablePools(account, now)
  const sum = sumOf(pools)
  if (sum < wanted) return { decision: 'insufficient_credits' }
  const turns = runs.filter(({ session }) => session === request.session)
  return {
    decision: 'admitted',
    status: turns.some(isOpen) ? 'queued' : 'in_progress',
    turn: turns.length + 1,
    accountTurn: (newestNumber(runs) ?? 0) + 1,
    parts: partsOf(pools, ample <= sum / parts ? ample : wanted),
  }
}

/** Pools with credits that have not expired, the first to expire first, with this month's allowance. */
function usablePools({ pools, plan }: AccountState, now: Date): readonly Pool[] {
  const hours = { 'an hour ago': -1, tomorrow: 24, 'next month': 24 * 40, never: Number.POSITIVE_INFINITY }
  const all = pools.map(({ available, expires }) => ({ micros: available, expires: hours[expires] }))
  if (!pools.some(({ period }) => period === 'this month')) {
    const monthEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
    all.push({ micros: plan.monthlyMicros, expires: (monthEnd - now.getTime()) / 3_600_000 })
  }
  return all
    .filter(({ micros, expires }) => micros > 0n && expires > 0)
    .toSorted((a, b) => a.expires - b.expires || 0)
}

function partsOf(pools: readonly Pool[], micros: bigint): readonly bigint[] {
  let missing = micros
  return pools.flatMap((pool) => {
    const part = pool.micros < missing ? pool.micros : missing
    missing -= part
    return part > 0n ? [part] : []
  })
}
