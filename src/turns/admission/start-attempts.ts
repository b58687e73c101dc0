import { setTimeout as delay } from 'node:timers/promises'
import type { Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import { withIndexedTx, withTx } from '../../db/client.ts'
import { ServiceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { afterPendingReads } from '../../waiting/waiting.ts'
import type { ClientConnection } from '../replicas/client-connections.ts'
import { type ClientReport, mergeReports } from '../replicas/client-inquiry.ts'
import type { Run } from '../run/run.ts'
import { adoptClient, readRun } from '../run/runs.ts'
import { messagesForModel } from '../run/transcript.ts'
import type { TurnLimits } from '../run/turn-limits.ts'
import { admitInTransaction, bringsFiles } from './admit-in-transaction.ts'
import { type Admission, admitRun, type Decision, type KnownRun, type Sending } from './admit-run.ts'
import { type AdmissionServices, type PricedTurn, refuseUnderPressure, type Started } from './client-turn.ts'
import { NotLastTurn } from './continuation.ts'
import { isAsWritten } from './run-values.ts'
import type { TurnInput } from './turn-input.ts'
import { settleUnconfirmed } from './unconfirmed-start.ts'

/**
 * The server refuses a call that it reaches later than this. The limit is shorter than the delay before clients
 * retry (OpenAI's: 375 ms and more), so a retry finds the run or no run can appear any more.
 */
const callMs = 250

/** After so many late calls, a start is a transaction without a time limit. */
const maxLate = 4

/**
 * The attempts at one start. All attempts write the same run id: a late one cannot write a second run, and each
 * one finds what an earlier one wrote.
 */
export class StartAttempts {
  /** The client's connection. Equal requests compare themselves with it. */
  readonly client: ClientConnection
  readonly #services: AdmissionServices
  readonly #principal: Principal
  readonly #input: PricedTurn
  readonly #runId = newId('run')
  /** How often other requests have changed the state first. */
  #looks = 0
  /** Whether an attempt may have written the run. */
  #unsure = false
  /** When the server stops accepting calls of this start, by our monotonic clock. */
  #overAt = 0
  /** What other replicas reported about the clients of equal requests. */
  #heard: ClientReport = nothingHeard
  /** How many calls the server has refused because they came late. */
  #late = 0
  /** Whether one call is not enough: see `admitInTransaction`. */
  #needsTransaction: boolean

  constructor(services: AdmissionServices, principal: Principal, input: PricedTurn) {
    this.#services = services
    this.#principal = principal
    this.#input = input
    this.#needsTransaction = bringsFiles(input)
    this.client = services.runner.clients.open(identityOf(principal, input), this.#runId, input.left)
  }

  async attempt(): Promise<Started> {
    for (;;) {
      const lostHere = await this.#lostHere()
      try {
        const decision = this.#needsTransaction
          ? await this.#inTransaction(lostHere)
          : await this.#inOneCall(lostHere)
        const started = await this.#follow(decision)
        if (started) return started
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error
        this.#looks += 1
      }
    }
  }

  /**
   * Gives up after the last attempt. It resolves when no call of this start can begin a run any more: the client must
   * not be told to retry before that.
   */
  async giveUp(): Promise<void> {
    if (!this.#unsure) return this.client.settle()
    // The run may exist. A retry that reaches this process must look for it.
    this.client.lose()
    await delay(Math.max(0, this.#overAt - performance.now()))
    this.client.attach(this.client.runId)
    const { accountId } = this.#principal
    void settleUnconfirmed(this.#services, { id: this.#runId, accountId }, this.client)
  }

  /** Runs of equal requests whose clients this process has seen disconnect, once their admission is over. */
  async #lostHere(): Promise<readonly string[]> {
    if (this.#lostBefore().length === 0) return []
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

  async #inOneCall(lostHere: readonly string[]): Promise<Decision> {
    const { store } = this.#services.runner
    const onSend = async () => {
      await afterPendingReads()
      return this.#sending(lostHere)
    }
    const admission = { ...this.#admission(lostHere), onSend }
    return this.#decide(() => admitRun(store, this.#principal, this.#input, admission))
  }

  /** The last look at the client, and at equal requests of this process, before the run can begin. */
  #sending(lostHere: readonly string[]): Sending {
    if (this.#input.left.aborted) throw nobodyThere()
    if (this.#lostBefore().some(({ runId }) => !lostHere.includes(runId))) throw new Overtaken()
    const now = this.#services.runner.store.clock.now()
    this.#unsure = true
    this.#overAt = performance.now() + callMs
    return {
      sentAt: this.#isLast ? null : now,
      notAfter: new Date(now.getTime() + callMs),
      underPressure: this.#services.pressure?.reason() !== undefined,
    }
  }

  /** A transaction has no time limit. Its last step is the look at the client. */
  #inTransaction(lostHere: readonly string[]): Promise<Decision> {
    const { database } = this.#services
    const admission = this.#admission(lostHere)
    return withIndexedTx(database, this.#principal, async (tx) => {
      const decision = await this.#decide(() =>
        admitInTransaction(tx, this.#principal, this.#input, admission),
      )
      if (decision.kind !== 'admitted') return decision
      await this.#requireClient()
      refuseUnderPressure(this.#services)
      this.#sending(lostHere)
      return decision
    })
  }

  /** An answer tells what this attempt did, but not always what an earlier one without an answer did. */
  async #decide(admit: () => Promise<Decision>): Promise<Decision> {
    const wasUnsure = this.#unsure
    try {
      const decision = await admit()
      this.#unsure = wasUnsure
      if (decision.kind === 'admitted') this.#services.runner.store.clock.note(decision.run.createdAt)
      return decision
    } catch (error) {
      const isAnswer =
        error instanceof ServiceError || error instanceof NotLastTurn || error instanceof Overtaken
      if (isAnswer) this.#unsure = wasUnsure
      // Counts the refusal, if the pressure lasts.
      if (error instanceof ServiceError && error.code === 'overloaded') refuseUnderPressure(this.#services)
      throw error
    }
  }

  #admission(lostHere: readonly string[]): Admission {
    const { plans, limits, runner } = this.#services
    const lost = new Map([
      ...lostHere.map((runId) => [runId, runner.lease.owner] as const),
      ...this.#heard.lost,
    ])
    return {
      plans,
      limits: limitsOf(limits, this.#input),
      lease: runner.lease,
      runId: this.#runId,
      again: this.#unsure,
      clientAt: runner.clientsAt(),
      clients: { ...this.#heard, lost },
    }
  }

  /** Does what a decision asks for. Returns undefined if the admission must decide again. */
  async #follow(decision: Decision): Promise<Started | undefined> {
    const { runner } = this.#services
    switch (decision.kind) {
      case 'admitted':
        return this.#written(decision.run, decision.fresh)
      case 'repeated':
        return this.#adopt(decision.known)
      case 'written':
        return this.#own()
      case 'overtaken':
        throw new Overtaken()
      case 'clients_unknown': {
        const { identity = '' } = this.client
        this.#heard = mergeReports(this.#heard, await runner.inquiry.ask(identity, decision.replicas))
        return undefined
      }
      case 'no_project':
        this.#needsTransaction = true
        return undefined
      case 'late':
        if (decision.serverTime) runner.store.clock.note(decision.serverTime)
        this.#late += 1
        // The database answers too slowly for calls with a time limit.
        if (this.#late === maxLate) this.#needsTransaction = true
        return undefined
    }
  }

  /** The run that an earlier attempt of this start wrote. */
  async #own(): Promise<Started | undefined> {
    const { database, runner } = this.#services
    const run = await withTx(database, this.#principal, (tx) => readRun(tx, this.#runId))
    // It was deleted with its session since.
    if (!run) return undefined
    return { run, repeated: !isAsWritten(run, runner.lease.owner) }
  }

  /** This client takes the place of the client that disconnected. */
  async #adopt(known: KnownRun): Promise<Started> {
    const { database, runner } = this.#services
    const { key, retried } = this.#input.identity
    // If two turns were begun and both requests are retried at the same moment, each retry must get its own
    // run.
    const mustBeAlone = key === undefined && !retried && !this.#isLast
    if (mustBeAlone && runner.clients.serves(known.id)) throw new Overtaken()
    this.client.attach(known.id)
    return withTx(database, this.#principal, async (tx) => {
      const run = await readRun(tx, known.id)
      const taken = await adoptClient(tx, known, runner.clientsAt())
      if (run && (taken || !mustBeAlone)) return { run, repeated: true }
      throw new Overtaken()
    })
  }

  #written(run: Run, fresh: readonly ModelMessage[]): Started {
    const { request, sessionId } = this.#input
    const isWhole = sessionId === undefined
    return { run, repeated: false, ...(isWhole && { conversation: messagesForModel(request, fresh) }) }
  }

  /** After many looks, a retry shares a run with other clients. */
  get #isLast(): boolean {
    return this.#looks > maxLooks
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

const maxLooks = 8

const nothingHeard: ClientReport = { replicas: new Set(), lost: new Map(), gone: new Set() }

/** Requests from the web pages have no API key. Their forms send idempotency keys. */
function identityOf({ keyId }: Principal, { identity }: TurnInput): string | undefined {
  return keyId === null ? undefined : `${keyId}.${identity.hash.toString('base64url')}`
}

function nobodyThere(): ServiceError {
  return new ServiceError(
    'invalid_value',
    'The connection was closed before the turn started, so no turn was started. Send the request again.',
  )
}

function limitsOf(limits: TurnLimits, { maxMicros = limits.maxMicros }: TurnInput): TurnLimits {
  return maxMicros < limits.maxMicros ? { ...limits, maxMicros } : limits
}
