import { isKeyUsable } from '../accounts/keys.ts'
import type { Plans } from '../accounts/plans.ts'
import type { AgentEvent } from '../agent/events.ts'
import { defaultLimits } from '../agent/limits.ts'
import { type LoopInput, runAgent } from '../agent/loop.ts'
import { systemPrompt } from '../agent/prompt.ts'
import { estimateTokens, type ModelRequest } from '../agent/provider.ts'
import { creditsText } from '../billing/credits.ts'
import { nextCallMicros, type Price } from '../billing/pricing.ts'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { messageOf } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../log.ts'
import type { VerifyLookups } from '../sources/citations/verify.ts'
import { createSourceRegister, type SourceRegister } from '../sources/register.ts'
import type { SemanticSearch } from '../sources/semantic.ts'
import { verifyLookups } from '../sources/verify-lookups.ts'
import { type Answer, createAnswer } from './answer.ts'
import type { Catalogue, CatalogueModel } from './catalogue.ts'
import { closeRun, hasOutput } from './end-run.ts'
import { type CommittedEvent, readEvents, withoutVoid } from './event-log.ts'
import { createJournal, type RunJournal, readJournal, toolEvents } from './journal.ts'
import type { LiveRun } from './live-runs.ts'
import { type RunEvent, type RunFailureCode, stepOf, type TerminalEvent } from './run-events.ts'
import type { RunRequest } from './run-request.ts'
import type { Signals } from './signals.ts'
import type { Run } from './start-turn.ts'
import { readTranscript } from './transcript.ts'
import { turnTools } from './turn-tools.ts'

/** Why a turn was stopped from outside the loop; anything else that aborts it means that the run was lost. */
export type StopReason = 'cancelled' | 'deadline' | 'handover'

export type TurnServices = RunnerServices & { readonly signals: Signals }

export type RunnerServices = {
  readonly database: Database
  readonly catalogue: Catalogue
  readonly plans: Plans
  /** Undefined: the library is searched by words only. */
  readonly semantic?: SemanticSearch | undefined
  readonly log: Logger
}

/**
 * Drives one attempt at a run from its journal to its end. All it learns goes into the live run for the readers of
 * this process and through the journal into the database. It never throws: what goes wrong ends the run, and a run
 * that was lost to another replica is left alone.
 */
export async function runTurn(
  services: TurnServices,
  run: Run,
  live: LiveRun,
  stop: AbortController,
): Promise<void> {
  const model = services.catalogue.find(run.model)
  let journal: RunJournal | undefined
  try {
    const { transcript, journaled, earlier } = await withTx(services.database, run, async (tx) => {
      const steps = await readJournal(tx, run.id)
      const events = run.eventCount > 0 ? withoutVoid(await readEvents(tx, run.id, 0)) : []
      return { transcript: await readTranscript(tx, run), journaled: steps, earlier: events }
    })
    // Readers of this process start from the beginning, whoever wrote it.
    for (const { event } of earlier) if (stepOf(event) <= journaled.steps.length) live.push(event)
    const onFault = (error: unknown) => stop.abort(error)
    journal = createJournal(services.database, run, {
      price: model?.price ?? freePrice,
      costMicros: journaled.costMicros,
      onCommit: () => services.signals.send({ kind: 'events', runId: run.id }),
      onFault,
    })
    const turn = new TurnWriter(services, run, live, journal, journaled.steps, stop)
    turn.begin(earlier)
    if (!model) await turn.fail('run_failed', `The model "${run.model}" is not in the catalogue any more.`)
    else if (run.epoch > maxAttempts) await turn.fail('run_failed', 'The turn was interrupted too often.')
    else await turn.drive(loopInput(services, run, model, turn, transcript, stop.signal), stop.signal)
  } catch (error) {
    live.abandon()
    services.log.warn(
      { runId: run.id, epoch: run.epoch, reason: messageOf(error) },
      'attempt at a run given up',
    )
  } finally {
    await journal?.close()
  }
}

/** Of a model's window for the conversation; the rest is for the tools' descriptions, the reply and our estimate. */
const contextShare = 0.75

/** A turn that takes its process down each time must not do so for ever. */
const maxAttempts = 8

const freePrice = { inputMicrosPerToken: 0n, outputMicrosPerToken: 0n, toolCallMicros: 0n }

type Steps = Awaited<ReturnType<typeof readJournal>>['steps']

function loopInput(
  services: TurnServices,
  run: Run,
  model: CatalogueModel,
  turn: TurnWriter,
  transcript: LoopInput<Executor>['messages'],
  signal: AbortSignal,
): LoopInput<Executor> {
  const request = run.request as RunRequest
  return {
    provider: model.provider,
    tools: turnTools(services, run, turn.register),
    clientTools: request.clientTools,
    toolChoice: request.toolChoice,
    messages: [{ role: 'system', content: systemPrompt() }, ...transcript],
    finished: turn.journaled,
    sampling: request.sampling,
    limits: { ...defaultLimits, contextTokens: Math.floor(model.contextTokens * contextShare) },
    journal: turn.journal,
    budget: (next) => turn.prepareCall(next, model.price),
    newCallId: () => newId('call'),
    signal,
  }
}

/** Turns what the loop yields into the run's events and its end. */
class TurnWriter {
  readonly register: SourceRegister
  readonly journal: RunJournal
  readonly journaled: Steps
  readonly #run: Run
  readonly #live: LiveRun
  readonly #answer: Answer
  readonly #lookups: VerifyLookups
  readonly #log: Logger
  readonly #database: Database
  readonly #stop: AbortController
  #step: number
  #holdMicros: bigint

  constructor(
    services: TurnServices,
    run: Run,
    live: LiveRun,
    journal: RunJournal,
    journaled: Steps,
    stop: AbortController,
  ) {
    this.#database = services.database
    this.#stop = stop
    this.#lookups = verifyLookups(services.database.system)
    this.#log = services.log
    this.#run = run
    this.#live = live
    this.journal = journal
    this.journaled = journaled
    this.#step = journaled.length
    this.#holdMicros = run.holdMicros
    this.register = createSourceRegister(
      journaled.flatMap((step) => (step.kind === 'tool' ? step.sources : [])),
    )
    this.#answer = createAnswer(this.register, (run.request as RunRequest).sources === 'inline')
    this.#restore()
  }

  /** Shows the finished steps of earlier attempts to the answer again: the same text comes out. */
  #restore(): void {
    let textLength = 0
    for (const step of this.journaled) {
      if (step.kind === 'model' && step.text !== '') {
        this.#answer.show(textLength > 0 ? `\n\n${step.text}` : step.text)
        textLength += step.text.length
      }
      this.#answer.add(step)
    }
  }

  /**
   * Makes sure that the hold covers the next model call, extending it when it does not.
   * @returns the notice with which the turn ends instead, when the credits or the turn's own bound do not allow it.
   */
  async prepareCall(request: ModelRequest, price: Price): Promise<string | null> {
    if (await this.#keyIsRevoked()) {
      this.#stop.abort('cancelled' satisfies StopReason)
      return null
    }
    const prompt =
      estimateTokens(JSON.stringify(request.messages)) + estimateTokens(JSON.stringify(request.tools))
    const need = this.journal.costMicros + nextCallMicros(price, prompt, request.sampling.maxTokens)
    if (need <= this.#holdMicros) return null
    const bounded = need < this.#run.mostMicros ? need : this.#run.mostMicros
    const missing = bounded - this.#holdMicros
    if (need > this.#run.mostMicros && this.journal.costMicros > 0n) {
      return `The turn has come to its bound of ${creditsText(this.#run.mostMicros)} credits.`
    }
    if (missing <= 0n) return null
    const extended = await this.journal.extendHold(this.#step + 1, missing)
    if (!extended) return 'The account has not enough credits left for another step of this turn.'
    this.#holdMicros = bounded
    return null
  }

  /** Asked between steps; the start of the turn has asked before the first one. */
  async #keyIsRevoked(): Promise<boolean> {
    const { apiKeyId } = this.#run
    if (apiKeyId === null || this.#step === 0) return false
    return !(await isKeyUsable(this.#database.system, apiKeyId))
  }

  /** Says that the run starts, or that it goes on and which committed events are void now. */
  begin(earlier: readonly CommittedEvent[]): void {
    const step = this.journaled.length + 1
    const firstVoid = earlier.find(({ event }) => stepOf(event) >= step)
    const voidFrom = firstVoid?.seq ?? this.#run.eventCount + 1
    // An attempt that died in its first moments has not said it.
    if (!earlier.some(({ event }) => event.type === 'run.started')) this.#tell({ type: 'run.started' })
    if (this.#run.epoch > 1) this.#tell({ type: 'step.restarted', step, void_from_seq: voidFrom })
    // Calls run side by side: behind the first void event there can be results of finished steps. They still hold.
    for (const { seq, event } of earlier)
      if (seq >= voidFrom && stepOf(event) < step) this.journal.event(event)
  }

  async drive(input: LoopInput<Executor>, signal: AbortSignal): Promise<void> {
    for await (const event of runAgent(input)) {
      if (event.type === 'turn.finished' || event.type === 'turn.failed') await this.#finish(event, signal)
      else this.#relay(event)
    }
  }

  #tell(event: RunEvent): void {
    this.#live.push(event)
    this.journal.event(event)
  }

  #relay(event: Exclude<AgentEvent, { type: 'turn.finished' | 'turn.failed' }>): void {
    this.#step = event.step
    switch (event.type) {
      case 'step.started':
        this.#tell({ type: 'step.started', step: event.step })
        break
      case 'text.delta': {
        const text = this.#answer.show(event.text)
        if (text !== '') this.#tell({ type: 'text.delta', step: event.step, text })
        break
      }
      case 'tool.started':
        this.#tell({ type: 'tool.started', step: event.step, name: event.call.name, title: event.title })
        break
      case 'step.finished':
        this.#answer.add(event.record)
        break
      case 'tool.finished':
        // Committed with the step already: only the readers here still have to hear of it.
        for (const told of toolEvents(event.step, event.record)) this.#live.push(told)
        this.#answer.add(event.record)
        break
    }
  }

  async #finish(event: Extract<AgentEvent, { type: 'turn.finished' | 'turn.failed' }>, signal: AbortSignal) {
    if (event.type === 'turn.finished') {
      if (event.notice !== null) this.#showNotice(event.notice)
      return this.#end((cost) => ({
        type: 'run.completed',
        reason: event.reason,
        end: this.#answer.end(cost, { paused: event.reason === 'tool_calls' }),
      }))
    }
    const reason = signal.aborted ? (signal.reason as StopReason | unknown) : undefined
    if (reason === 'cancelled') {
      return this.#end((cost) => ({ type: 'run.cancelled', end: this.#answer.end(cost, { paused: false }) }))
    }
    if (reason === 'deadline')
      return this.fail('run_failed', 'The turn took longer than it may and was stopped.')
    if (signal.aborted) throw reason instanceof Error ? reason : new Error(`stopped: ${String(reason)}`)
    if (event.kind === 'context') return this.fail('context_length_exceeded', event.message)
    if (event.kind === 'upstream') return this.fail('upstream_failed', event.message)
    // What went wrong inside, a statement with its parameters perhaps, is for the log only.
    this.#log.error({ runId: this.#run.id, reason: event.message }, 'a turn failed')
    return this.fail('run_failed', 'Something went wrong in the service while the turn ran.')
  }

  /** Without it, a turn that one of our bounds has stopped would end in the middle and not say why. */
  #showNotice(notice: string): void {
    const rest = this.#answer.rest()
    const text = rest + this.#answer.show(this.#answer.isEmpty() ? notice : `\n\n${notice}`)
    this.#tell({ type: 'text.delta', step: this.#step, text })
  }

  /** Ends the run as failed; without any output it costs nothing. */
  fail(code: RunFailureCode, message: string): Promise<void> {
    return this.#end((cost) => {
      const end = this.#answer.end(cost, { paused: false })
      const free = { ...end, usage: { ...end.usage, cost_micros: '0' } }
      return { type: 'run.failed', code, message, end: hasOutput(end) ? end : free }
    })
  }

  async #end(prepare: (costMicros: bigint) => TerminalEvent): Promise<void> {
    const rest = this.#answer.rest()
    if (rest !== '') this.#tell({ type: 'text.delta', step: this.#step, text: rest })
    await this.#answer.check(this.#lookups)
    const event = await this.journal.end(
      (costMicros) => prepare(costMicros < this.#holdMicros ? costMicros : this.#holdMicros),
      (tx, ended) => closeRun(tx, this.#run, ended),
    )
    this.#live.push(event)
  }
}
