import { setTimeout as delay } from 'node:timers/promises'
import type { Plans } from '../../accounts/plans.ts'
import type { Principal } from '../../accounts/principal.ts'
import { type Database, withTurnCalls, withTurnTx, withTx } from '../../db/client.ts'
import { ServiceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { Span } from '../../tracing.ts'
import type { TurnMetrics } from '../execution/turn-metrics.ts'
import type { Runner } from '../ownership/runner.ts'
import type { ClientConnection } from '../replicas/client-connections.ts'
import { loopHasRead, type Settled, together } from '../replicas/client-inquiry.ts'
import type { Pressure } from '../replicas/pressure.ts'
import { takeClientOver } from '../run/runs.ts'
import { toldToModel } from '../run/transcript.ts'
import type { TurnLimits } from '../run/turn-limits.ts'
import { isUsual, writeUsual } from './fast-path.ts'
import { type Started, startTurn, Unsettled } from './start-turn.ts'
import type { TurnInput } from './turn-input.ts'

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
export const timeoutMs = 1_000

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
  /** The connection of its client, for equal requests to be compared with. */
  readonly client: ClientConnection
  readonly #services: AdmissionServices
  readonly #principal: Principal
  readonly #input: ClientTurn
  readonly #runId = newId('run')
  /** Something was sent that would write the run with this status, and it is not known to have failed. */
  #unsure: 'queued' | 'in_progress' | undefined
  /** When the server takes no call of ours any more, by our monotonic clock. */
  #overAt = 0
  /** What other replicas have said of the clients of equal requests. */
  #heard: Settled = nothingHeard

  constructor(services: AdmissionServices, principal: Principal, input: ClientTurn) {
    this.#services = services
    this.#principal = principal
    this.#input = input
    this.client = services.runner.clients.open(identityOf(principal, input), this.#runId, input.left)
  }

  get isUnsure(): boolean {
    return this.#unsure !== undefined
  }

  async attempt(): Promise<Started> {
    for (let looks = 1; ; looks += 1) {
      try {
        return await this.#attempt(await this.#lostHere(), looks > maxLooks)
      } catch (error) {
        if (error instanceof Unsettled) await this.#ask(error.replicas)
        else if (!(error instanceof Overtaken)) throw error
      }
    }
  }

  /** Until what was sent can begin nothing any more: only then the client may be told to send its request again. */
  async over(): Promise<void> {
    this.#services.runner.unanswered(this.#runId)
    await delay(Math.max(0, this.#overAt - performance.now()))
  }

  async #attempt(lostHere: readonly string[], isLast: boolean): Promise<Started> {
    const isNew = lostHere.length === 0 && this.#heard.lost.size === 0 && this.#heard.gone.size === 0
    const usual = isNew && !this.#unsure && isUsual(this.#principal, this.#input)
    return (usual ? await this.#usual() : undefined) ?? this.#careful(lostHere, isLast)
  }

  /** Runs of equal requests whose clients this process has seen disconnect. One that is being admitted is waited for. */
  async #lostHere(): Promise<readonly string[]> {
    // A usual start looks again when the loop has turned, which others have to wait for here.
    if (isUsual(this.#principal, this.#input) && this.#lostBefore().length === 0) return []
    await this.#requireClient()
    const before = this.#lostBefore()
    await Promise.all(before.map(({ admitted }) => admitted))
    return before.map(({ runId }) => runId)
  }

  #lostBefore(): readonly ClientConnection[] {
    const { identity, since } = this.client
    if (identity === undefined) return []
    const lost = this.#services.runner.clients.lost(identity)
    return lost.filter((other) => other !== this.client && other.since <= since)
  }

  async #ask(replicas: readonly string[]): Promise<void> {
    const { identity = '' } = this.client
    this.#heard = together(this.#heard, await this.#services.runner.inquiry.ask(identity, replicas))
  }

  async #usual(): Promise<Started | undefined> {
    const { database, limits, runner } = this.#services
    const { request, messages } = this.#input
    return withTurnCalls(database, this.#principal, async (calls) => {
      await this.#requireClient()
      if (this.#lostBefore().length > 0) throw new Overtaken()
      const sentAt = database.clock.now()
      // The server has told no time yet: its answer to a careful start will.
      if (!sentAt) return undefined
      const notAfter = new Date(sentAt.getTime() + callMs)
      this.#unsure = 'in_progress'
      this.#overAt = performance.now() + callMs
      const run = await writeUsual(calls, this.#principal, this.#input, {
        ...{
          runId: this.#runId,
          lease: runner.lease,
          clientAt: runner.clientsAt(),
          limits,
          sentAt,
          notAfter,
        },
        settled: [runner.lease.owner, ...this.#heard.replicas],
      }).catch((error: unknown) => {
        if (error instanceof ServiceError || error instanceof Unsettled) this.#unsure = undefined
        throw error
      })
      if (run) return this.#written({ run, repeated: false, conversation: toldToModel(request, messages) })
      this.#unsure = undefined
      return undefined
    })
  }

  /** Step by step, under the account's lock. A run of an equal request gets this client in place of the one it has lost. */
  async #careful(lostHere: readonly string[], isLast: boolean): Promise<Started> {
    const started = await this.#decide(lostHere)
    if (!started.repeated || started.run.id === this.#runId) return started
    const { run } = started
    const { key, retried } = this.#input.identity
    const { database, runner } = this.#services
    // Of two that are sent again at once each gets a run of its own, if two were begun.
    const mustBeAlone = key === undefined && !retried && !isLast
    if (mustBeAlone && runner.clients.serves(run.id)) throw new Overtaken()
    this.client.attach(run.id)
    const taken = await withTx(database, this.#principal, (tx) => takeClientOver(tx, run, runner.clientsAt()))
    if (!taken && mustBeAlone) throw new Overtaken()
    return started
  }

  #decide(lostHere: readonly string[]): Promise<Started> {
    const { database, plans, limits, runner } = this.#services
    const { owner } = runner.lease
    const lost = new Map([...lostHere.map((runId) => [runId, owner] as const), ...this.#heard.lost])
    return withTurnTx(database, this.#principal, async (tx) => {
      const started = await startTurn(tx, this.#principal, this.#input, {
        ...{ plans, limits, lease: runner.lease, runId: this.#runId, again: this.#unsure },
        ...{ clientAt: runner.clientsAt(), settled: { ...this.#heard, lost } },
      })
      if (started.repeated) return started
      await this.#requireClient()
      refuseUnderPressure(this.#services)
      this.#unsure = started.run.status === 'queued' ? 'queued' : 'in_progress'
      return this.#written(started)
    })
  }

  #written(started: Started): Started {
    this.#services.database.clock.note(started.run.createdAt)
    return started
  }

  async #requireClient(): Promise<void> {
    await loopHasRead()
    if (this.#input.left.aborted) throw nobodyThere()
  }
}

/** Another request was faster: what is known of equal ones has to be looked at again. */
class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

/** After so many it shares a run that others ask for as well. */
const maxLooks = 8

const nothingHeard: Settled = { replicas: new Set(), lost: new Map(), gone: new Set() }

/** People's forms bring keys of their own, and have no key of the API. */
function identityOf({ keyId }: Principal, { identity }: TurnInput): string | undefined {
  return keyId === null ? undefined : `${keyId}.${identity.hash.toString('base64url')}`
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
