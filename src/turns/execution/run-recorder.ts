import { isKeyUsable } from '../../accounts/keys/keys.ts'
import type { ModelStep, TurnEnd, TurnNews } from '../../agent/events.ts'
import { runAgent } from '../../agent/loop/loop.ts'
import type { Journal, LoopInput } from '../../agent/loop/loop-input.ts'
import { Turn } from '../../agent/loop/turn-state.ts'
import type { ModelRequest } from '../../agent/provider.ts'
import { promptTokens } from '../../agent/usage.ts'
import { creditsText } from '../../billing/credits.ts'
import { nextCallMicros, type Price } from '../../billing/pricing.ts'
import type { Database, Executor } from '../../db/client.ts'
import { retryTransient } from '../../db/retry.ts'
import type { Logger } from '../../log.ts'
import { createSourceRegister, type SourceRegister } from '../../sources/citations/register.ts'
import type { VerifyLookups } from '../../sources/citations/verify.ts'
import { verifyLookups } from '../../sources/citations/verify-lookups.ts'
import type { CommittedEvent } from '../recording/event-log.ts'
import { closeRun, hasOutput } from '../recording/finish-run.ts'
import { type RunJournal, type readJournal, toolEvents } from '../recording/journal.ts'
import { chargedCall } from '../recording/open-call.ts'
import type { Run } from '../run/run.ts'
import {
  type RunEnd,
  type RunEvent,
  type RunFailureCode,
  stepOf,
  type TerminalEvent,
} from '../run/run-events.ts'
import type { RunRequest } from '../run/run-request.ts'
import type { EndReason, TurnStop } from '../run/turn-stop.ts'
import { type Answer, createAnswer } from './answer.ts'
import type { LiveRun } from './live-runs.ts'
import type { TurnWatch } from './turn-watch.ts'

export type Steps = Awaited<ReturnType<typeof readJournal>>['steps']

/** What earlier attempts at the run have left. */
export type Earlier = {
  readonly steps: Steps
  /** What they have said in the step that none of them has finished. */
  readonly begun: string
  /** Numbers in brackets that the client wrote, see `givenNumbers`. */
  readonly given: ReadonlySet<number>
  /** The user's message of this turn. */
  readonly question: string
}

/** Turns what the loop tells into the run's events and its end. */
export class RunRecorder {
  readonly register: SourceRegister
  readonly journal: RunJournal
  readonly journaled: Steps
  readonly #run: Run
  readonly #live: LiveRun
  readonly #answer: Answer
  readonly #lookups: VerifyLookups
  readonly #log: Logger
  readonly #database: Database
  readonly #stop: TurnStop
  readonly #watch: TurnWatch
  #step: number
  #othersWait = true
  /** Of the step that is under way: what earlier attempts have shown of it, and whether this one has shown anything. */
  #begun: string
  #shown = false

  constructor(
    services: { readonly database: Database; readonly log: Logger },
    run: Run,
    live: LiveRun,
    journal: RunJournal,
    { steps: journaled, begun, given, question }: Earlier,
    stop: TurnStop,
    watch: TurnWatch,
  ) {
    this.#database = services.database
    this.#stop = stop
    this.#watch = watch
    this.#lookups = verifyLookups(services.database.system)
    this.#log = services.log
    this.#run = run
    this.#live = live
    this.journal = journal
    this.journaled = journaled
    this.#step = journaled.length
    this.#begun = begun
    this.register = createSourceRegister(
      journaled.flatMap((step) => (step.kind === 'tool' ? step.sources : [])),
      (run.request as RunRequest).origin,
    )
    this.#answer = createAnswer(this.register, run.request as RunRequest, given, question)
    this.#restore()
  }

  /** Whether another turn may be free to run now that this one has ended; so until it is known. */
  get othersWait(): boolean {
    return this.#othersWait
  }

  /** Shows the finished steps of earlier attempts to the answer again: the same text comes out. */
  #restore(): void {
    let textLength = 0
    for (const step of this.journaled) {
      if (step.kind === 'model' && step.text !== '') {
        this.#answer.show(textLength > 0 ? `\n\n${step.text}` : step.text)
        textLength += step.text.length
      }
      if (step.kind === 'model') this.#answer.rest()
      this.#answer.add(step)
    }
  }

  /**
   * Makes the steps so far durable and sees to it that the hold covers the next model call, extending it when it does not.
   * @returns the notice with which the turn ends instead, when the credits or the turn's own bound do not allow it.
   */
  async prepareCall(request: ModelRequest, price: Price): Promise<string | null> {
    const { costMicros, holdMicros } = this.journal
    const { maxMicros } = this.#run
    const need = costMicros + nextCallMicros(price, promptTokens(request), request.sampling.maxTokens)
    const isAbove = need > maxMicros && costMicros > 0n
    const bounded = need < maxMicros ? need : maxMicros
    const missing = bounded > holdMicros && !isAbove ? bounded - holdMicros : 0n
    // The start has just looked at everything.
    if (this.#step === 0 && missing === 0n) return null
    const enough = await this.journal.prepareCall(this.#step + 1, missing)
    if (await this.#keyIsRevoked()) {
      this.#stop.end('cancelled')
      return null
    }
    if (isAbove) return `The turn has come to its bound of ${creditsText(maxMicros)} credits.`
    return enough ? null : 'The account has not enough credits left for another step of this turn.'
  }

  async #keyIsRevoked(): Promise<boolean> {
    const { apiKeyId } = this.#run
    if (apiKeyId === null) return false
    // Not told by a write that was only found to have been done.
    if (this.journal.keyUsable !== undefined) return !this.journal.keyUsable
    return !(await retryTransient(() => isKeyUsable(this.#database.system, apiKeyId), this.#stop.turn))
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

  async drive(input: LoopInput<Executor>): Promise<void> {
    const end = await runAgent(input, (news) => this.#relay(news))
    if (end.type === 'turn.finished') return this.#complete(end)
    const { turn, writing } = this.#stop
    // The run is somebody else's: there is nothing left to write.
    writing.throwIfAborted()
    this.#showRest()
    const status = turn.reason === ('cancelled' satisfies EndReason) ? 'cancelled' : 'failed'
    const call = { own: end.unfinished, shown: this.#shown, begun: this.#begun }
    const charged = chargedCall(call, status, () => new Turn(input).request())
    if (status === 'failed') return this.#failAs(end, charged)
    return this.#end((cost) => ({ type: 'run.cancelled', end: this.#endAt(cost) }), charged)
  }

  /** The journal of the loop. What was held back of a reply is shown with its step, and committed before it. */
  get steps(): Journal<Executor> {
    return {
      model: (record) => {
        this.#showRest()
        this.journal.model(record)
      },
      tool: (step, call, outcome) => this.journal.tool(step, call, outcome),
    }
  }

  #tell(event: RunEvent): void {
    this.#live.push(event)
    this.journal.event(event)
  }

  #relay(event: TurnNews): void {
    this.#step = event.step
    switch (event.type) {
      case 'step.started':
        this.#watch.stepStarted(event.step)
        this.#tell({ type: 'step.started', step: event.step })
        break
      case 'text.delta': {
        const text = this.#answer.show(event.text)
        if (text === '') break
        this.#shown = true
        this.#watch.textShown()
        this.#tell({ type: 'text.delta', step: event.step, text })
        break
      }
      case 'tool.started':
        this.#watch.stepStarted(event.step, event.call)
        this.#tell({ type: 'tool.started', step: event.step, name: event.call.name, title: event.title })
        break
      case 'step.finished':
        this.#stepOver()
        this.#watch.stepFinished(event.step, event.record)
        this.#answer.add(event.record)
        break
      case 'tool.finished':
        this.#stepOver()
        this.#watch.stepFinished(event.step, event.record)
        // In line with the step already: only the readers here still have to hear of it.
        for (const told of toolEvents(event.step, event.record)) this.#live.push(told)
        this.#answer.add(event.record)
        break
    }
  }

  #stepOver(): void {
    this.#begun = ''
    this.#shown = false
  }

  #complete({ reason, notice }: Extract<TurnEnd, { type: 'turn.finished' }>): Promise<void> {
    if (notice !== null) this.#showNotice(notice)
    const paused = reason === 'tool_calls'
    return this.#end((cost) => ({ type: 'run.completed', reason, end: this.#endAt(cost, paused) }))
  }

  #failAs(event: Extract<TurnEnd, { type: 'turn.failed' }>, call: ModelStep | undefined): Promise<void> {
    if (this.#stop.turn.reason === ('deadline' satisfies EndReason))
      return this.#fail('run_failed', 'The turn took longer than it may and was stopped.', call)
    if (event.kind === 'context') return this.#fail('context_length_exceeded', event.message, call)
    if (event.kind === 'format') return this.#fail('invalid_value', event.message, call)
    if (event.kind === 'upstream') return this.#fail('upstream_failed', event.message, call)
    // What went wrong inside, a statement with its parameters perhaps, is for the log only.
    this.#log.error({ runId: this.#run.id, reason: event.message }, 'a turn failed')
    return this.#fail('run_failed', 'Something went wrong in the service while the turn ran.', call)
  }

  #endAt(costMicros: bigint, paused = false): RunEnd {
    return this.#answer.end(costMicros, { paused })
  }

  /** Without it, a turn that one of our bounds has stopped would end in the middle and not say why. */
  #showNotice(notice: string): void {
    const rest = this.#answer.rest()
    const text = rest + this.#answer.show(this.#answer.isEmpty() ? notice : `\n\n${notice}`)
    this.#tell({ type: 'text.delta', step: this.#step, text })
  }

  /** Ends the run as failed, for a reason that is ours: nobody pays the prompt of a call that was under way. */
  fail(code: RunFailureCode, message: string): Promise<void> {
    const call = { own: undefined, shown: false, begun: this.#begun }
    return this.#fail(
      code,
      message,
      chargedCall(call, 'failed', () => undefined),
    )
  }

  /** Without any output, and when nothing was shown, it costs nothing. */
  #fail(code: RunFailureCode, message: string, call: ModelStep | undefined): Promise<void> {
    return this.#end((cost) => {
      const end = this.#endAt(cost)
      const isFree = !hasOutput(end) && !call
      const free = { ...end, usage: { ...end.usage, cost_micros: '0' } }
      return { type: 'run.failed', code, message, end: isFree ? free : end }
    }, call)
  }

  /** Shows what was held back because it might have become a mark. */
  #showRest(): void {
    const rest = this.#answer.rest()
    if (rest === '') return
    this.#shown = true
    this.#tell({ type: 'text.delta', step: this.#step, text: rest })
  }

  /** @param call the model call that the turn ends in, when it is charged. */
  async #end(prepare: (costMicros: bigint) => TerminalEvent, call?: ModelStep): Promise<void> {
    this.#showRest()
    if (call) {
      this.#watch.stepFinished(this.#step, call)
      this.#answer.add(call)
    }
    await retryTransient(() => this.#answer.check(this.#lookups), this.#stop.writing)
    const event = await this.journal.end(
      (costMicros) => prepare(costMicros < this.journal.holdMicros ? costMicros : this.journal.holdMicros),
      (tx, ended, last) => {
        const closing = closeRun(tx, this.#run, ended, last)
        const done = closing.done.then(({ waiting }) => {
          this.#othersWait = waiting
        })
        return { ...closing, done }
      },
      call,
    )
    this.#watch.ended(event)
    this.#live.push(event)
  }
}
