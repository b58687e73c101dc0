import { setTimeout as delay } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import { lockAccountRow } from '../../accounts/accounts.ts'
import type { Principal } from '../../accounts/principal.ts'
import { type Executor, withIndexedTx, withTx } from '../../db/client.ts'
import { reasonOf } from '../../db/errors.ts'
import { retryFor, retryTransient } from '../../db/retry.ts'
import { runs } from '../../db/schema/index.ts'
import { ServiceError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { afterPendingReads } from '../../waiting/waiting.ts'
import { recordDisconnect, sendIn } from '../record/turn-store.ts'
import type { ClientConnection } from '../replicas/client-connections.ts'
import type { Run } from '../run/run.ts'
import { readRun } from '../run/runs.ts'
import { messagesForModel } from '../run/transcript.ts'
import type { TurnLimits } from '../run/turn-limits.ts'
import { admitAtOnce, admitWithLook, findRepeated } from './admission.ts'
import type { Admission, Decision } from './admission-types.ts'
import {
  type AdmissionServices,
  type ClientTurn,
  type PricedTurn,
  refuseUnderPressure,
  type Started,
} from './client-turn.ts'
import { NotLastTurn } from './continuation.ts'
import { moderateNew } from './moderate-question.ts'
import { requireModel, turnCosts } from './requested-model.ts'
import type { TurnInput } from './turn-input.ts'

/** How long admission retries a failing database before the client gets an error. */
const timeoutMs = 1_000

/** After this time the disconnect of a client of another replica has been recorded, if there was one. */
const recordedMs = 100

/**
 * `client`: the connection for which the run was admitted. The reply code reports on it whether the reply
 * arrived.
 */
export type Admitted = Started & { readonly client: ClientConnection }

/**
 * Admits a turn (see `admission`) and starts to drive it, unless it is queued. Transient database errors are retried for
 * one second. A statement without an answer never leads to a second run. A client that has disconnected gets no run: its
 * retry may already have started one on another replica.
 * @throws the errors of `refusals`, `overloaded` during shutdown or under pressure, and the database's error.
 *   After a database error the run may exist: any replica can then claim it, and a retry finds it.
 */
export async function admitTurn(
  services: AdmissionServices,
  principal: Principal,
  input: ClientTurn,
): Promise<Admitted> {
  const span = input.span?.child('admission')
  try {
    const started = await admit(services, principal, input)
    span?.set({ 'run.id': started.run.id, 'run.repeated': started.repeated })
    span?.end()
    return started
  } catch (error) {
    span?.end(error instanceof ServiceError ? error.code : 'failed')
    throw error
  }
}

async function admit(
  services: AdmissionServices,
  principal: Principal,
  input: ClientTurn,
): Promise<Admitted> {
  const { runner, log } = services
  if (runner.draining()) {
    throw new ServiceError('overloaded', 'The service is shutting down. Send the request again.', {
      retryAfterSeconds: 2,
    })
  }
  // A retry may find an existing run, so it is looked up before the pressure check.
  if (input.identity.key === undefined && !input.identity.retried) refuseUnderPressure(services)
  const start = new Start(services, principal, await priced(services, principal, withTrace(input)))
  const client = runner.clients.open()
  try {
    const { run, repeated, conversation } =
      (await moderateNew(services, principal, input, () => retryFor(timeoutMs, () => start.repeated()))) ??
      (await retryFor(timeoutMs, () => start.attempt()))
    client.attach(run.id)
    if (!repeated) services.metrics?.started(run.status === 'in_progress' ? 'in_progress' : 'queued')
    if (!repeated && run.status === 'in_progress') runner.start(run, conversation)
    return { run, repeated, client }
  } catch (error) {
    if (error instanceof ServiceError)
      log.info(
        { accountId: principal.accountId, keyId: principal.keyId, refused: error.code },
        'turn refused',
      )
    start.giveUp()
    throw error
  }
}

/** Adds what the turn's first call may cost, and the prompt that it begins with. */
async function priced(
  services: AdmissionServices,
  principal: Principal,
  input: ClientTurn,
): Promise<PricedTurn> {
  const model = requireModel(services, input.model)
  const costs = await turnCosts(services, principal, model, input)
  const prompt = { own: model.prompt.own.hash, host: model.prompt.host?.hash ?? null }
  return { ...input, ...costs, request: { ...input.request, prompt } }
}

/** The run stores the trace context, so its spans join the request's trace on any replica. */
function withTrace(input: ClientTurn): ClientTurn {
  const traceparent = input.span?.traceparent
  return traceparent === undefined ? input : { ...input, request: { ...input.request, traceparent } }
}

/** One start. All its attempts write the same run id, so they cannot write two runs. */
class Start {
  readonly #services: AdmissionServices
  readonly #principal: Principal
  readonly #input: PricedTurn
  readonly #admission: Admission
  /** Whether an attempt without an answer may have written the run. */
  #unsure = false
  /** Whether one statement has not admitted the turn. */
  #mustLook = false

  constructor(services: AdmissionServices, principal: Principal, input: PricedTurn) {
    this.#services = services
    this.#principal = principal
    this.#input = input
    const { plans, limits, runner } = services
    this.#admission = {
      ...{ principal, input, plans, lease: runner.lease },
      limits: limitsOf(limits, input),
      runId: newId('run'),
      clientAt: runner.clientsAt(),
    }
  }

  /** The run that the request repeats, if that can be seen at once. */
  async repeated(): Promise<Started | undefined> {
    await this.#requireClient()
    const { database } = this.#services
    const known = await withIndexedTx(database, this.#principal, (tx) => findRepeated(tx, this.#admission))
    return known?.kind === 'repeated' ? this.#follow(known) : undefined
  }

  /** Decides once, and a second time if an equal run was undecided. */
  async attempt(): Promise<Started> {
    const first = await this.#decide(false)
    if (first.kind !== 'undecided') return this.#follow(first)
    await delay(recordedMs)
    return this.#follow(await this.#decide(true))
  }

  /**
   * Called if the client gets an error. The run may exist: it is marked, so that a retry finds it, and released, so that
   * its lease need not expire. Never throws.
   */
  giveUp(): void {
    if (this.#unsure) void this.#settle()
  }

  async #decide(isLast: boolean): Promise<Decision> {
    await this.#requireClient()
    if (!this.#mustLook && !this.#unsure) {
      const send = this.#services.runner.store.sendTo(this.#principal.accountId)
      const admitted = await this.#sure(() => admitAtOnce(send, this.#admission))
      if (admitted) return admitted
      this.#mustLook = true
    }
    const again = this.#unsure
    return this.#sure(() =>
      withIndexedTx(this.#services.database, this.#principal, async (tx) => {
        const decision = await admitWithLook(tx, this.#admission, { again, isLast })
        if (decision.kind === 'admitted') {
          await this.#requireClient()
          refuseUnderPressure(this.#services)
        }
        return decision
      }),
    )
  }

  /** An answer tells what this attempt did, but not always what an earlier one without an answer did. */
  async #sure<T>(attempt: () => Promise<T>): Promise<T> {
    const wasUnsure = this.#unsure
    this.#unsure = true
    try {
      const result = await attempt()
      this.#unsure = wasUnsure
      return result
    } catch (error) {
      if (error instanceof ServiceError || error instanceof NotLastTurn) this.#unsure = wasUnsure
      throw error
    }
  }

  async #follow(decision: Decision): Promise<Started> {
    const { log, runner } = this.#services
    const { accountId, keyId } = this.#principal
    switch (decision.kind) {
      case 'admitted': {
        const { run, fresh } = decision
        const { request, sessionId } = this.#input
        log.info({ accountId, keyId, runId: run.id, ...(run.admission as object) }, 'turn admitted')
        const isWhole = sessionId === undefined
        return { run, repeated: false, ...(isWhole && { conversation: messagesForModel(request, fresh) }) }
      }
      case 'repeated': {
        log.info({ accountId, keyId, runId: decision.runId, rule: decision.rule }, 'turn repeated')
        return { run: await this.#read(decision.runId), repeated: true }
      }
      case 'written': {
        const run = await this.#read(this.#admission.runId)
        return { run, repeated: !isAsWritten(run, runner.lease.owner) }
      }
      case 'undecided':
        throw new Error('the last look decides')
    }
  }

  async #read(runId: string): Promise<Run> {
    const run = await withTx(this.#services.database, this.#principal, (tx) => readRun(tx, runId))
    if (!run) throw new Error('the run was deleted with its session')
    return run
  }

  async #requireClient(): Promise<void> {
    await afterPendingReads()
    if (!this.#input.left.aborted) return
    throw new ServiceError(
      'invalid_value',
      'The connection was closed before the turn started, so no turn was started. Send the request again.',
    )
  }

  async #settle(): Promise<void> {
    const { database, runner, log } = this.#services
    const { runId } = this.#admission
    const { accountId } = this.#principal
    const { owner } = runner.lease
    const settle = async (tx: Executor) => {
      // A start that is still open holds this lock. What it writes is then visible.
      await lockAccountRow(tx, accountId)
      await recordDisconnect(sendIn(tx), runId, owner)
      await tx
        .update(runs)
        .set({ leaseOwner: null, leaseExpiresAt: sql`now()` })
        .where(and(eq(runs.id, runId), asWritten(owner)))
    }
    try {
      // Behind the start on the connection of the account: one that the server still has to read comes first.
      await retryTransient(
        () => recordDisconnect(runner.store.sendTo(accountId), runId, owner),
        runner.leaving,
      )
      await retryTransient(() => withTx(database, this.#principal, settle), runner.leaving)
    } catch (error) {
      log.warn({ runId, reason: reasonOf(error) }, 'a start without an answer was not looked up')
    }
  }
}

/**
 * Whether the run is still as its start wrote it. False once any replica, this one included, has claimed it
 * from the queue: a claim begins after the run was written.
 */
function isAsWritten(run: Run, owner: string): boolean {
  if (run.status === 'queued') return true
  return (
    run.epoch === 1 && run.leaseOwner === owner && run.startedAt !== null && run.startedAt <= run.createdAt
  )
}

/** As `isAsWritten`. A run that was claimed from the queue since belongs to its driver. */
const asWritten = (owner: string) =>
  and(eq(runs.leaseOwner, owner), eq(runs.epoch, 1), sql`${runs.startedAt} <= ${runs.createdAt}`)

function limitsOf(limits: TurnLimits, { maxMicros = limits.maxMicros }: TurnInput): TurnLimits {
  return maxMicros < limits.maxMicros ? { ...limits, maxMicros } : limits
}
