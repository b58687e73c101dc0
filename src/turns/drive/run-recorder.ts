import type { ModelStep, StepRecord, TurnEnd, TurnProgress } from '../../agent/events.ts'
import { runAgent } from '../../agent/loop/loop.ts'
import type { Journal, LoopInput } from '../../agent/loop/loop-input.ts'
import { Turn } from '../../agent/loop/turn-state.ts'
import { type Attached, withoutServerWords } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import type { Logger } from '../../log.ts'
import type { CatalogueModel } from '../../models/model-catalogue.ts'
import type { Moderation } from '../../moderation/moderation.ts'
import { createSourceMarks, type SourceMarks } from '../../sources/citations/source-marks.ts'
import { chargedCall } from '../record/finish-run.ts'
import type { RunState } from '../record/fold-log.ts'
import { type RunJournal, toolEvents } from '../record/journal.ts'
import type { Run } from '../run/run.ts'
import { type RunEvent, type RunFailureCode, stepOf, type TerminalEvent } from '../run/run-events.ts'
import type { RunRequest } from '../run/run-request.ts'
import type { EndReason, TurnStop } from '../run/turn-stop.ts'
import { type Answer, createAnswer } from './answer.ts'
import type { LiveRun } from './live-runs.ts'
import type { TurnWatch } from './turn-watch.ts'
import { type AnswerVerifier, answerVerifier, type VerifyServices } from './verify-answer.ts'

/** What earlier attempts at the run have left behind. */
export type PriorAttempts = {
  readonly state: RunState
  /** Text that they produced in the step that none of them finished. */
  readonly partialText: string
  /** Numbers in brackets that the client wrote, see `givenNumbers`. */
  readonly given: ReadonlySet<number>
  /** The user's message of this turn. */
  readonly question: string
  /** Results of the client's tools, newest first. */
  readonly clientResults: readonly string[]
}

/** Turns the events of the agent loop into the run's events and its end. */
export class RunRecorder {
  readonly sourceMarks: SourceMarks
  readonly journal: RunJournal
  readonly journaled: readonly StepRecord[]
  readonly #run: Run
  readonly #earlier: RunState
  readonly #live: LiveRun
  readonly #answer: Answer
  /** Undefined for a model without citations. */
  readonly #verifier: AnswerVerifier | undefined
  readonly #log: Logger
  readonly #stop: TurnStop
  readonly #moderation: Moderation | undefined
  readonly #watch: TurnWatch
  #step: number
  /** Of the newest model reply. */
  #attached: Attached | undefined
  /** About the current step: text that earlier attempts showed, and whether this attempt has shown any. */
  #partialText: string
  #shown = false

  constructor(
    services: VerifyServices & {
      readonly model: CatalogueModel | undefined
      readonly moderation?: Moderation | undefined
    },
    run: Run,
    live: LiveRun,
    journal: RunJournal,
    { state, partialText, given, question, clientResults }: PriorAttempts,
    stop: TurnStop,
    watch: TurnWatch,
  ) {
    this.#stop = stop
    this.#watch = watch
    this.#moderation = services.moderation
    const isLite = services.model?.isLite ?? false
    this.#verifier = isLite ? undefined : answerVerifier(services, run.id, stop, clientResults)
    this.#log = services.log
    this.journaled = state.steps.map(({ record }) => record)
    this.#run = run
    this.#earlier = state
    this.#live = live
    this.journal = journal
    this.#step = this.journaled.length
    this.#partialText = partialText
    this.sourceMarks = createSourceMarks(
      this.journaled.flatMap((step) => (step.kind === 'tool' ? step.sources : [])),
      (run.request as RunRequest).origin,
    )
    const request = { ...(run.request as RunRequest), isLite }
    this.#answer = createAnswer(this.sourceMarks, request, given, question)
    this.#restore()
  }

  /** Replays the finished steps of earlier attempts. The answer's text comes out the same. */
  #restore(): void {
    let textLength = 0
    for (const step of this.journaled) {
      if (step.kind === 'model' && step.text !== '') {
        this.#answer.show(textLength > 0 ? `\n\n${step.text}` : step.text)
        textLength += step.text.length
      }
      if (step.kind === 'model') this.#answer.rest()
      this.#add(step)
    }
    this.#answer.newlyCited() // Events of the finished steps have named them.
    for (const { step, name, title, at } of this.#earlier.tools)
      if (step <= this.journaled.length) this.#answer.toolUsed({ step, name, title, at })
  }

  /** The newest step. */
  get step(): number {
    return this.#step
  }

  /** Records that the run starts or restarts, and which committed events are now void. */
  begin(): void {
    const step = this.journaled.length + 1
    const { events: earlier } = this.#earlier
    const firstVoid = earlier.find(({ event }) => stepOf(event) >= step)
    const voidFrom = firstVoid?.seq ?? this.#run.eventCount + 1
    // An attempt that died early may not have recorded it.
    if (!earlier.some(({ event }) => event.type === 'run.started')) this.#emit({ type: 'run.started' })
    if (this.#run.epoch > 1) this.#emit({ type: 'step.restarted', step, void_from_seq: voidFrom })
    // Tool calls run in parallel, so results of finished steps can follow the first void event. They stay valid
    // and are written again.
    for (const { seq, event } of earlier)
      if (seq >= voidFrom && stepOf(event) < step) this.journal.event(event)
  }

  /** @returns whether another turn may be able to run now that this one has ended. */
  async drive(input: LoopInput<Executor>): Promise<boolean> {
    const end = await runAgent(input, (news) => this.#relay(news))
    if (end.type === 'turn.finished') return this.#complete(end)
    const { turn, writing } = this.#stop
    // Another replica owns the run: nothing may be written.
    writing.throwIfAborted()
    this.#showRest()
    const status = turn.reason === ('cancelled' satisfies EndReason) ? 'cancelled' : 'failed'
    const { unfinished: own, refused } = end
    const call = { own, refused, shown: this.#shown, partialText: this.#partialText }
    const charged = chargedCall(call, status, () => new Turn(input).request())
    if (status === 'failed') return this.#failAs(end, charged)
    return this.#end((cost) => ({ type: 'run.cancelled', end: this.#answer.end(cost) }), charged)
  }

  /** The loop's journal. Text that was held back in a reply is shown and committed before its step. */
  get steps(): Journal<Executor> {
    return {
      model: (record) => {
        this.#showRest()
        this.journal.model(record)
      },
      tool: (step, call, outcome) => this.journal.tool(step, call, outcome),
    }
  }

  #emit(event: RunEvent): void {
    this.#live.push(event)
    this.journal.event(event)
  }

  #emitText(text: string): void {
    this.#emit({ type: 'text.delta', step: this.#step, text, ...this.#answer.newlyCited() })
  }

  #relay(event: TurnProgress): void {
    this.#step = event.step
    switch (event.type) {
      case 'step.started':
        this.#watch.stepStarted(event.step)
        this.#emit({ type: 'step.started', step: event.step })
        break
      case 'text.delta': {
        const text = this.#answer.show(event.text)
        if (text === '') break
        this.#shown = true
        this.#watch.textShown()
        this.#emitText(text)
        break
      }
      case 'tool.started':
        this.#watch.stepStarted(event.step, event.call)
        this.#verifier?.prepare()
        this.#answer.toolUsed({ step: event.step, name: event.call.name, title: event.title })
        this.#emit({ type: 'tool.started', step: event.step, name: event.call.name, title: event.title })
        break
      case 'tool.finished':
        // The journal already has these events. Only the readers of this process still need them.
        for (const toolEvent of toolEvents(event.step, event.record)) this.#live.push(toolEvent)
        this.#stepOver(event)
        break
      case 'step.finished':
        this.#stepOver(event)
        break
    }
  }

  #stepOver({ step, record }: { readonly step: number; readonly record: StepRecord }): void {
    this.#partialText = ''
    this.#shown = false
    this.#watch.stepFinished(step, record)
    this.#add(record)
  }

  #add(record: StepRecord): void {
    if (record.kind === 'model') this.#attached = record.attached
    this.#verifier?.add(record)
    this.#answer.add(record)
  }

  async #complete(finished: Extract<TurnEnd, { type: 'turn.finished' }>): Promise<boolean> {
    if (finished.notice !== null) this.#showNotice(finished.notice)
    this.#showRest()
    const paused = finished.reason === 'tool_calls'
    const reason = !paused && (await this.#isRefused()) ? 'content_filter' : finished.reason
    return this.#end((cost) => ({ type: 'run.completed', reason, end: this.#answer.end(cost, { paused }) }))
  }

  /** Says whether the moderation server refuses the answer. It stays as it is: readers of the stream have it already. */
  async #isRefused(): Promise<boolean> {
    const { accountId, id: runId } = this.#run
    const verdict = await this.#moderation?.judge(this.#answer.text(), { accountId, runId })
    return verdict !== undefined && verdict !== 'passed'
  }

  #failAs(event: Extract<TurnEnd, { type: 'turn.failed' }>, call: ModelStep | undefined): Promise<boolean> {
    if (this.#stop.turn.reason === ('deadline' satisfies EndReason))
      return this.#fail('run_failed', 'The turn exceeded its time limit. Ask for less in one turn.', call)
    if (event.kind === 'format' || event.kind === 'rejected')
      return this.#fail('invalid_value', event.message, call, event.param)
    const { id: runId, model } = this.#run
    if (event.kind === 'context' || event.kind === 'upstream') {
      // Most replies are streams, whose request is logged with status 200.
      this.#log.warn(
        { runId, model, reason: withoutServerWords(event.message) },
        'a turn failed at its model',
      )
      const code = event.kind === 'context' ? 'context_length_exceeded' : 'upstream_failed'
      return this.#fail(code, event.message, call)
    }
    // An internal error may contain a statement with its parameters. It goes only to the log.
    this.#log.error({ runId, reason: event.message }, 'a turn failed')
    return this.#fail('run_failed', 'The service failed during the turn. Ask again as a new request.', call)
  }

  /** Shows why one of our limits stopped the turn. Without the notice the answer would just break off. */
  #showNotice(notice: string): void {
    const rest = this.#answer.rest()
    this.#emitText(rest + this.#answer.show(this.#answer.isEmpty() ? notice : `\n\n${notice}`))
  }

  /** Ends the run as failed for a reason on our side. The prompt of an open model call is not charged. */
  fail(message: string): Promise<boolean> {
    const call = { own: undefined, shown: false, partialText: this.#partialText }
    const charged = chargedCall(call, 'failed', () => undefined)
    return this.#fail('run_failed', message, charged)
  }

  /** Work that was done is paid: a failed turn is free only if no model reply and no tool result was finished or shown. */
  #fail(
    code: RunFailureCode,
    message: string,
    call: ModelStep | undefined,
    param?: string,
  ): Promise<boolean> {
    const failure = { type: 'run.failed', code, message, ...(param !== undefined && { param }) } as const
    return this.#end((cost) => ({ ...failure, end: this.#answer.end(cost) }), call)
  }

  /** Shows text that was held back because it might have become a mark. */
  #showRest(): void {
    const rest = this.#answer.rest()
    if (rest === '') return
    this.#shown = true
    this.#emitText(rest)
  }

  /** @param call the unfinished model call, if it is charged. */
  async #end(prepare: (costMicros: bigint) => TerminalEvent, call?: ModelStep): Promise<boolean> {
    this.#showRest()
    if (call) {
      this.#watch.stepFinished(this.#step, call)
      this.#add(call)
    }
    await this.#verifier?.verify(this.#answer)
    const event = prepare(await this.journal.finalCost(call))
    const othersWait = await this.journal.finish(event, call, this.#attached)
    this.#watch.ended(event)
    this.#live.push(event)
    return othersWait
  }
}
