import { setTimeout as delay, setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { Plans } from '../accounts/plans.ts'
import type { Principal } from '../accounts/principal.ts'
import { type Database, withTurnCalls, withTurnTx } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Span } from '../tracing.ts'
import type { Pressure } from './pressure.ts'
import type { Runner } from './runner.ts'
import { type Started, startTurn, type TurnInput, type TurnLimits } from './start-turn.ts'
import { toldToModel } from './transcript.ts'
import type { TurnMetrics } from './turn-metrics.ts'
import { isUsual, writeUsual } from './usual-start.ts'

/** `left` is aborted when the client has left; `span` is that of its request. */
export type ClientTurn = TurnInput & { readonly left: AbortSignal; readonly span?: Span | undefined }

export type AdmissionServices = {
  readonly database: Database
  readonly plans: Plans
  readonly limits: TurnLimits
  readonly runner: Runner
  readonly metrics?: TurnMetrics | undefined
  readonly pressure?: Pressure | undefined
}

/** A client waits this long for a database in trouble before it is told to try again. */
export const patienceMs = 1_000

/**
 * A call that the server comes to later than this begins nothing. Less than clients wait before they send again what was
 * cut off (OpenAI's from 375 ms on): their repetition looks for a run that by then is there or will never be.
 */
const callMs = 250

/**
 * The attempts at one start. All of them would write the same run, so that none that was believed lost and comes late can
 * write a second one, and one after it finds what it has written.
 */
export class StartAttempts {
  readonly #services: AdmissionServices
  readonly #principal: Principal
  readonly #input: ClientTurn
  readonly #runId = newId('run')
  /** Something was sent that would write the run, and it is not known to have failed. */
  #unsure = false
  /** When the server takes no call of ours any more, by our monotonic clock. */
  #overAt = 0

  constructor(services: AdmissionServices, principal: Principal, input: ClientTurn) {
    this.#services = services
    this.#principal = principal
    this.#input = input
  }

  get isUnsure(): boolean {
    return this.#unsure
  }

  async attempt(): Promise<Started> {
    const usual = !this.#unsure && isUsual(this.#principal, this.#input)
    return (usual ? await this.#usual() : undefined) ?? this.#careful()
  }

  /** Until what was sent can begin nothing any more: only then the client may be told to send its request again. */
  async over(): Promise<void> {
    this.#services.runner.unanswered(this.#runId)
    await delay(Math.max(0, this.#overAt - performance.now()))
  }

  async #usual(): Promise<Started | undefined> {
    const { database, limits, runner } = this.#services
    const { request, messages } = this.#input
    return withTurnCalls(database, this.#principal, async (calls) => {
      await this.#requireClient()
      const sentAt = database.clock.now()
      // The server has told no time yet: its answer to a careful start will.
      if (!sentAt) return undefined
      const notAfter = new Date(sentAt.getTime() + callMs)
      this.#unsure = true
      this.#overAt = performance.now() + callMs
      const own = { runId: this.#runId, lease: runner.lease, limits, sentAt, notAfter }
      const run = await writeUsual(calls, this.#principal, this.#input, own).catch((error: unknown) => {
        if (error instanceof ServiceError) this.#unsure = false
        throw error
      })
      if (run) return this.#written({ run, repeated: false, conversation: toldToModel(request, messages) })
      this.#unsure = false
      return undefined
    })
  }

  #careful(): Promise<Started> {
    const { database, plans, limits, runner } = this.#services
    return withTurnTx(database, this.#principal, async (tx) => {
      const admission = { plans, limits, lease: runner.lease, runId: this.#runId, again: this.#unsure }
      const started = await startTurn(tx, this.#principal, this.#input, admission)
      if (started.repeated) return started
      await this.#requireClient()
      refuseUnderPressure(this.#services)
      this.#unsure = true
      return this.#written(started)
    })
  }

  #written(started: Started): Started {
    this.#services.database.clock.note(started.run.createdAt)
    return started
  }

  /** A process that was frozen reads what came first, and in its next turn that the client has left since. */
  async #requireClient(): Promise<void> {
    await turnOfTheLoop()
    await turnOfTheLoop()
    if (this.#input.left.aborted) throw nobodyThere()
  }
}

/** Turns that run need what is left. */
export function refuseUnderPressure({ pressure, metrics }: AdmissionServices): void {
  const reason = pressure?.reason()
  if (reason === undefined) return
  metrics?.refused(reason)
  throw new ServiceError('overloaded', 'The service takes no new turns at this moment. Try again shortly.', {
    retryAfterSeconds: 5,
  })
}

function nobodyThere(): ServiceError {
  return new ServiceError(
    'invalid_value',
    'The connection was closed before the turn began: none was started.',
  )
}
