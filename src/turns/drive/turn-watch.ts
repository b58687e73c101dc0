import type { StepRecord } from '../../agent/events.ts'
import type { Provider, ToolCall } from '../../agent/provider.ts'
import type { Tool, Toolbox } from '../../agent/tools.ts'
import type { Span, Tracer } from '../../tracing.ts'
import { LeaseLost } from '../record/run-log.ts'
import { leasedAt } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import { statusOf, type TerminalEvent } from '../run/run-events.ts'
import type { RunRequest } from '../run/run-request.ts'
import type { KnownTools, TurnMetrics } from './turn-metrics.ts'

/** Metrics and traces of one attempt at a run. It does almost nothing if both are off. */
export class TurnWatch {
  readonly #run: Run
  readonly #metrics: TurnMetrics | undefined
  readonly #turn: Span | undefined
  readonly #steps = new Map<number, Span>()
  readonly #calls = new Map<string, Span>()
  readonly #since = performance.now()
  #model: Span | undefined
  #tools: KnownTools = { get: () => undefined }
  #spoke: boolean

  constructor(
    services: { readonly metrics?: TurnMetrics | undefined; readonly tracer?: Tracer | undefined },
    run: Run,
  ) {
    this.#run = run
    this.#metrics = services.metrics
    // A later attempt cannot know whether an earlier one has shown text.
    this.#spoke = run.epoch > 1
    const { traceparent } = run.request as RunRequest
    this.#turn = services.tracer?.start('invoke_agent', 'internal', traceparent, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': run.sessionId,
      'gen_ai.request.model': run.model,
      'run.id': run.id,
      'run.attempt': run.epoch,
    })
    this.#metrics?.leased()
    if (run.epoch > 1) this.#metrics?.takenOver()
  }

  /** Wraps the provider: each call gets a span, and the request carries its trace context. */
  provider(provider: Provider): Provider {
    const turn = this.#turn
    if (!turn) return provider
    return {
      ask: (request, signal, onText) => {
        const span = this.#modelCall(turn)
        const traced = { ...request, headers: { ...request.headers, traceparent: span.traceparent } }
        return provider.ask(traced, signal, onText)
      },
    }
  }

  /** Wraps the tools: each call gets a span. */
  tools<T>(tools: Toolbox<T>): Toolbox<T> {
    this.#tools = tools
    if (!this.#turn) return tools
    return {
      specs: tools.specs,
      get: (name) => {
        const tool = tools.get(name)
        return tool && this.#traced(tool)
      },
    }
  }

  #traced<T>(tool: Tool<T>): Tool<T> {
    return {
      ...tool,
      execute: async (args, signal, callId) => {
        const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool.spec.name }
        const parent = this.#calls.get(callId ?? '') ?? this.#turn
        const span = parent?.child(`execute_tool ${tool.spec.name}`, {
          ...attributes,
          'run.id': this.#run.id,
        })
        try {
          const outcome = await tool.execute(args, signal, callId)
          span?.end(outcome.isError ? 'the tool refused the call' : undefined)
          return outcome
        } catch (error) {
          span?.end('the tool failed')
          throw error
        }
      },
    }
  }

  #modelCall(turn: Span): Span {
    const { id, model } = this.#run
    const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model, 'run.id': id }
    const parent = [...this.#steps.values()].at(-1) ?? turn
    this.#model = parent.child(`chat ${model}`, attributes, 'client')
    return this.#model
  }

  stepStarted(step: number, call?: ToolCall): void {
    const span = this.#turn?.child('step', { 'run.id': this.#run.id, 'run.step': step })
    if (!span) return
    this.#steps.set(step, span)
    if (call) this.#calls.set(call.id, span)
  }

  /** The model's reply is complete. Recording it still belongs to the step. */
  #modelReplied(record: Extract<StepRecord, { kind: 'model' }>): void {
    this.#model?.set({
      'gen_ai.usage.input_tokens': record.usage.promptTokens,
      'gen_ai.usage.output_tokens': record.usage.completionTokens,
      ...(!record.unfinished && { 'gen_ai.response.finish_reason': record.reason }),
    })
    this.#model?.end()
    this.#model = undefined
  }

  stepFinished(step: number, record: StepRecord): void {
    this.#metrics?.step(record, this.#tools)
    if (record.kind === 'model') this.#modelReplied(record)
    else this.#calls.delete(record.call.id)
    this.#steps.get(step)?.end()
    this.#steps.delete(step)
  }

  /** Records the time of the first text. Later calls do nothing. */
  textShown(): void {
    if (this.#spoke) return
    this.#spoke = true
    this.#metrics?.firstText(this.#age())
  }

  ended(event: TerminalEvent): void {
    this.#metrics?.ended(event, this.#age())
    this.#turn?.set({ 'run.status': statusOf(event) })
    this.#close(event.type === 'run.failed' ? event.code : undefined)
  }

  /** This process no longer drives the run. `failure` is set if the run has not ended here. */
  released(failure?: unknown): void {
    this.#metrics?.released(failure instanceof LeaseLost)
    if (failure !== undefined) this.#close('given up before its end')
  }

  #close(failure: string | undefined): void {
    for (const span of [this.#model, ...this.#steps.values(), this.#turn]) span?.end(failure)
    this.#steps.clear()
  }

  /** Seconds since the request: by the database's clock until the lease began, and by ours since then. */
  #age(): number {
    const queuedMs = leasedAt(this.#run) - this.#run.createdAt.getTime()
    return Math.max(0, queuedMs + performance.now() - this.#since) / 1_000
  }
}
