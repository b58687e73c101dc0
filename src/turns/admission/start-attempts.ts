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
import { afterPendingReads, type ClientReport, mergeReports } from '../replicas/client-inquiry.ts'
import type { Pressure } from '../replicas/pressure.ts'
import { adoptClient } from '../run/runs.ts'
import { messagesForModel } from '../run/transcript.ts'
import type { TurnLimits } from '../run/turn-limits.ts'
import { qualifiesForFastPath, startOnFastPath } from './fast-path.ts'
import { InquiryNeeded, type Started, startTurn } from './start-turn.ts'
import type { TurnInput } from './turn-input.ts'

/** `left` is aborted when the client disconnects. `span` is the request's span. */
export type ClientTurn = TurnInput & { readonly left: AbortSignal; readonly span?: Span | undefined }

export type AdmissionServices = {
  readonly database: Database
  readonly plans: Plans
  readonly limits: TurnLimits
  readonly runner: Runner
  readonly metrics?: TurnMetrics | undefined
  readonly pressure?: Pressure | undefined
}

/** How long admission retries a failing database before the client gets an error. */
export const timeoutMs = 1_000

/**
 * The server refuses a fast-path call that it reaches later than this. The limit is shorter than the delay
 * before clients retry (OpenAI's: 375 ms and more), so a retry finds the run or no run can appear any more.
 */
const callMs = 250

/**
 * The attempts at one start. All attempts write the same run id: a late one cannot write a second run, and each
 * one finds what an earlier one wrote.
 */
export class StartAttempts {
  /** The client's connection. Equal requests compare themselves with it. */
  readonly client: ClientConnection
  readonly #services: AdmissionServices
  readonly #principal: Principal
  readonly #input: ClientTurn
  readonly #runId = newId('run')
  /** The status that an earlier attempt would have written, if that attempt is not known to have failed. */
  #unsure: 'queued' | 'in_progress' | undefined
  /** When the server stops accepting calls of this start, by our monotonic clock. */
  #overAt = 0
  /** What other replicas reported about the clients of equal requests. */
  #heard: ClientReport = nothingHeard

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
        if (error instanceof InquiryNeeded) await this.#ask(error.replicas)
        else if (!(error instanceof Overtaken)) throw error
      }
    }
  }

  /**
   * Resolves when no call of this start can begin a run any more. The client must not be told to retry before
   * that.
   */
  async over(): Promise<void> {
    this.#services.runner.unconfirmedStart(this.#runId)
    await delay(Math.max(0, this.#overAt - performance.now()))
  }

  async #attempt(lostHere: readonly string[], isLast: boolean): Promise<Started> {
    const isNew = lostHere.length === 0 && this.#heard.lost.size === 0 && this.#heard.gone.size === 0
    const usual = isNew && !this.#unsure && qualifiesForFastPath(this.#principal, this.#input)
    return (usual ? await this.#usual() : undefined) ?? this.#careful(lostHere, isLast)
  }

  /**
   * Runs of equal requests whose clients this process has seen disconnect. It waits for those that are still
   * being admitted.
   */
  async #lostHere(): Promise<readonly string[]> {
    // The fast path checks again after the next turn of the event loop. Other starts wait for that turn here.
    if (qualifiesForFastPath(this.#principal, this.#input) && this.#lostBefore().length === 0) return []
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
    this.#heard = mergeReports(this.#heard, await this.#services.runner.inquiry.ask(identity, replicas))
  }

  async #usual(): Promise<Started | undefined> {
    const { database, limits, runner } = this.#services
    const { request, messages } = this.#input
    return withTurnCalls(database, this.#principal, async (calls) => {
      await this.#requireClient()
      if (this.#lostBefore().length > 0) throw new Overtaken()
      const sentAt = database.clock.now()
      // The server's clock is unknown until the first answer. The slow path provides it.
      if (!sentAt) return undefined
      const notAfter = new Date(sentAt.getTime() + callMs)
      this.#unsure = 'in_progress'
      this.#overAt = performance.now() + callMs
      const run = await startOnFastPath(calls, this.#principal, this.#input, {
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
        if (error instanceof ServiceError || error instanceof InquiryNeeded) this.#unsure = undefined
        throw error
      })
      if (run)
        return this.#written({ run, repeated: false, conversation: messagesForModel(request, messages) })
      this.#unsure = undefined
      return undefined
    })
  }

  /**
   * The slow path: decides step by step under the account's lock. If it finds the run of an equal request, this
   * client takes the place of the client that disconnected.
   */
  async #careful(lostHere: readonly string[], isLast: boolean): Promise<Started> {
    const started = await this.#decide(lostHere)
    if (!started.repeated || started.run.id === this.#runId) return started
    const { run } = started
    const { key, retried } = this.#input.identity
    const { database, runner } = this.#services
    // If two turns were begun and both requests are retried at the same moment, each retry must get its own
    // run.
    const mustBeAlone = key === undefined && !retried && !isLast
    if (mustBeAlone && runner.clients.serves(run.id)) throw new Overtaken()
    this.client.attach(run.id)
    const taken = await withTx(database, this.#principal, (tx) => adoptClient(tx, run, runner.clientsAt()))
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
    await afterPendingReads()
    if (this.#input.left.aborted) throw nobodyThere()
  }
}

/** Another request changed the state first. The state of equal requests must be read again. */
class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

/** After this many looks, a retry shares a run with other clients. */
const maxLooks = 8

const nothingHeard: ClientReport = { replicas: new Set(), lost: new Map(), gone: new Set() }

/** Requests from the web pages have no API key. Their forms send idempotency keys. */
function identityOf({ keyId }: Principal, { identity }: TurnInput): string | undefined {
  return keyId === null ? undefined : `${keyId}.${identity.hash.toString('base64url')}`
}

/** Refuses new turns under pressure, because the running turns need the remaining resources. */
export function refuseUnderPressure({ pressure, metrics }: AdmissionServices): void {
  const reason = pressure?.reason()
  if (reason === undefined) return
  metrics?.refused(reason)
  throw new ServiceError('overloaded', 'The service takes no new turns now. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  })
}

function nobodyThere(): ServiceError {
  return new ServiceError(
    'invalid_value',
    'The connection was closed before the turn started, so no turn was started. Send the request again.',
  )
}
