import { messageOf } from '../errors.ts'
import { fitContext } from './context.ts'
import type { AgentEvent, ModelStep, StepRecord, ToolStep, TurnFailure } from './events.ts'
import type { LoopLimits } from './limits.ts'
import {
  estimateUsage,
  type FinishReason,
  type ModelMessage,
  type ModelRequest,
  type Provider,
  type ProviderFailure,
  type Sampling,
  type ToolCall,
  type ToolChoice,
  type ToolSpec,
} from './provider.ts'
import { StorablePieces, storable, storableCall } from './storable-text.ts'
import { describeCall, runToolCalls } from './tool-calls.ts'
import type { Tool, ToolOutcome } from './tools.ts'

/** Makes each finished step durable before the loop goes on; what it throws ends the turn as `internal`. */
export type Journal<Transaction> = {
  /** @param last true when no step follows: the end of the turn is recorded together with it. */
  model(step: number, record: ModelStep, last: boolean): Promise<void>
  /** Runs the outcome's deferred write and returns the step as it was recorded. */
  tool(step: number, call: ToolCall, outcome: ToolOutcome<Transaction>): Promise<ToolStep>
}

export type LoopInput<Transaction> = {
  readonly provider: Provider
  readonly tools: readonly Tool<Transaction>[]
  /**
   * Tools that the client runs: a call of one of them ends the turn with `tool_calls`, once the calls of ours beside
   * it have their results. One hides ours of the same name, since the model cannot tell two apart.
   */
  readonly clientTools: readonly ToolSpec[]
  readonly toolChoice: ToolChoice
  readonly messages: readonly ModelMessage[]
  /** Calls that the turn begins with, as if the model had asked for them. */
  readonly firstCalls?: readonly Omit<ToolCall, 'id'>[]
  /** Steps that an earlier attempt at this turn has finished, in order. */
  readonly finished: readonly StepRecord[]
  readonly sampling: Sampling
  readonly limits: LoopLimits
  readonly journal: Journal<Transaction>
  /** Asked before each model call: a text ends the turn with `length` and that notice. */
  readonly budget: (request: ModelRequest) => Promise<string | null>
  readonly newCallId: () => string
  readonly signal: AbortSignal
}

/**
 * One agent turn: calls the model, runs the tools it asks for, and calls it again until it answers. Knows no HTTP,
 * no database and no clock. See `AgentEvent` for the order of what it yields; it never throws.
 */
export async function* runAgent<Transaction>(input: LoopInput<Transaction>): AsyncGenerator<AgentEvent> {
  const turn = new Turn(input)
  try {
    while (true) {
      const end = yield* advance(input, turn)
      if (end) {
        yield end
        return
      }
    }
  } catch (error) {
    yield {
      type: 'turn.failed',
      kind: input.signal.aborted ? 'aborted' : 'internal',
      message: messageOf(error),
    }
  }
}

type TurnEnd = Extract<AgentEvent, { type: 'turn.finished' | 'turn.failed' }>

const finished = (reason: FinishReason, notice: string | null = null): TurnEnd => ({
  type: 'turn.finished',
  reason,
  notice,
})

const failed = (kind: TurnFailure, message: string): TurnEnd => ({ type: 'turn.failed', kind, message })

/** One round: the tool calls that are open, then the next model reply. Returns the end when there is one. */
async function* advance<T>(input: LoopInput<T>, turn: Turn<T>): AsyncGenerator<AgentEvent, TurnEnd | null> {
  yield* answerToolCalls(input, turn)
  if (input.signal.aborted) return failed('aborted', 'The turn was stopped.')
  const end = turn.end()
  if (end) return end
  if (turn.step === 0 && input.firstCalls?.length) return yield* presetCalls(input, turn, input.firstCalls)
  if (turn.modelCalls >= input.limits.modelCalls)
    return finished('length', 'The turn reached its limit of steps.')
  const request = turn.request()
  const notice = await input.budget(request)
  if (notice !== null) return finished('length', notice)
  return yield* callModel(input, turn, request)
}

async function* answerToolCalls<T>(input: LoopInput<T>, turn: Turn<T>): AsyncGenerator<AgentEvent> {
  const calls = turn.openCalls()
  if (calls.length === 0) return
  const first = turn.step + 1
  for (const [i, call] of calls.entries()) {
    yield { type: 'tool.started', step: first + i, call, title: describeCall(turn.tools, call) }
  }
  const allowed = calls.filter((call) => !turn.refusals.has(call.id))
  const outcomes = runToolCalls(turn.tools, allowed, input.signal, input.limits.parallelTools)
  try {
    for (const call of calls) {
      const refusal = turn.refusals.get(call.id)
      const outcome = refusal ?? (await outcomes.next()).value
      if (!outcome) throw new Error('a tool call had no outcome')
      const record = await input.journal.tool(turn.step + 1, call, turn.bounded(outcome))
      turn.add(record)
      yield { type: 'tool.finished', step: turn.step, record }
    }
  } finally {
    await outcomes.return(undefined)
  }
}

/** A first step that no model took: it costs nothing, and its calls are run like any others. */
async function* presetCalls<T>(
  input: LoopInput<T>,
  turn: Turn<T>,
  calls: readonly Omit<ToolCall, 'id'>[],
): AsyncGenerator<AgentEvent, null> {
  const step = turn.step + 1
  yield { type: 'step.started', step }
  const record: ModelStep = {
    kind: 'model',
    text: '',
    toolCalls: calls.map((call) => ({ ...call, id: input.newCallId() })),
    reason: 'tool_calls',
    usage: { promptTokens: 0, completionTokens: 0, estimated: false },
    preset: true,
  }
  await input.journal.model(step, record, false)
  turn.add(record)
  yield { type: 'step.finished', step, record }
  return null
}

async function* callModel<T>(
  input: LoopInput<T>,
  turn: Turn<T>,
  request: ModelRequest,
): AsyncGenerator<AgentEvent, TurnEnd | null> {
  const step = turn.step + 1
  yield { type: 'step.started', step }
  const separator = turn.textLength > 0 ? '\n\n' : ''
  const pieces = new StorablePieces()
  let text = ''
  let reply: ModelStep | undefined
  for await (const chunk of input.provider.stream(request, input.signal)) {
    if (chunk.type === 'error') return failed(failureKind(chunk.kind), storable(chunk.message))
    const piece = chunk.type === 'text' ? pieces.push(chunk.text) : pieces.rest()
    if (piece !== '') {
      yield { type: 'text.delta', step, text: text === '' ? separator + piece : piece }
      text += piece
    }
    if (chunk.type === 'finish') {
      // Upstreams repeat ids; ours are unique, since a client's tool results are found by them.
      const toolCalls = chunk.toolCalls.map((call) => ({ ...storableCall(call), id: input.newCallId() }))
      reply = { kind: 'model', text, toolCalls, reason: chunk.reason, usage: chunk.usage }
      break
    }
    if (turn.textLength + separator.length + text.length > input.limits.textLength) break
  }
  reply ??= { kind: 'model', text, toolCalls: [], reason: 'length', usage: estimateUsage(request, text) }
  await input.journal.model(step, reply, turn.isLast(reply))
  turn.add(reply)
  yield { type: 'step.finished', step, record: reply }
  return null
}

function failureKind(kind: ProviderFailure): TurnFailure {
  return kind === 'aborted' || kind === 'context' ? kind : 'upstream'
}

/**
 * What the turn has come to: the conversation for the model, and the counters the limits look at. All of it follows
 * from the finished steps alone, so that an attempt that takes a journal up goes on exactly as the one before.
 */
class Turn<T> {
  readonly tools: ReadonlyMap<string, Tool<T>>
  readonly toolSpecs: readonly ToolSpec[]
  readonly messages: ModelMessage[]
  readonly refusals = new Map<string, ToolOutcome<T>>()
  step = 0
  modelCalls = 0
  textLength = 0
  readonly #input: LoopInput<T>
  readonly #clientToolNames: ReadonlySet<string>
  readonly #answered = new Set<string>()
  readonly #callCounts = new Map<string, number>()
  #lastReply: ModelStep | undefined
  #toolBytes = 0

  constructor(input: LoopInput<T>) {
    this.#input = input
    this.#clientToolNames = new Set(input.clientTools.map((tool) => tool.name))
    const own = input.tools.filter((tool) => !this.#clientToolNames.has(tool.spec.name))
    this.tools = new Map(own.map((tool) => [tool.spec.name, tool]))
    this.toolSpecs = [...own.map((tool) => tool.spec), ...input.clientTools]
    this.messages = [...input.messages]
    for (const record of input.finished) this.add(record)
  }

  add(record: StepRecord): void {
    this.step += 1
    if (record.kind === 'tool') {
      this.#answered.add(record.call.id)
      this.#toolBytes += Buffer.byteLength(record.content)
      this.messages.push({ role: 'tool', callId: record.call.id, content: record.content })
      return
    }
    if (!record.preset) this.modelCalls += 1
    if (record.text !== '') this.textLength += (this.textLength > 0 ? 2 : 0) + record.text.length
    this.#lastReply = record
    this.messages.push({ role: 'assistant', content: record.text, toolCalls: record.toolCalls })
    for (const call of this.openCalls()) this.#admit(call)
  }

  /** Calls of the last reply that this service runs and that have no result yet. */
  openCalls(): readonly ToolCall[] {
    if (!this.#lastReply || endsEarly(this.#lastReply)) return []
    return this.#lastReply.toolCalls.filter(
      (call) => !this.#clientToolNames.has(call.name) && !this.#answered.has(call.id),
    )
  }

  /** Whether no step of ours can follow this reply: it calls no tool, or none but the client's. */
  isLast(reply: ModelStep): boolean {
    return endsEarly(reply) || reply.toolCalls.every((call) => this.#clientToolNames.has(call.name))
  }

  /** How the turn ends after the last reply, whose calls of ours have been answered; null when it goes on. */
  end(): TurnEnd | null {
    const reply = this.#lastReply
    if (!reply) return null
    if (endsEarly(reply)) return finished(reply.reason)
    if (reply.toolCalls.some((call) => this.#clientToolNames.has(call.name))) return finished('tool_calls')
    return this.isLast(reply) ? finished('stop') : null
  }

  /** Counts a call of the reply just added; one that may not run gets its outcome in `refusals`. */
  #admit(call: ToolCall): void {
    const key = JSON.stringify([call.name, call.arguments])
    const count = (this.#callCounts.get(key) ?? 0) + 1
    this.#callCounts.set(key, count)
    const repeated = count > this.#input.limits.repeatedCalls
    if (!repeated && !this.#isFull) return
    const error = repeated
      ? 'This very call has been made already. Answer with what you have.'
      : 'The turn has read as much as it may. Answer with what you have.'
    this.refusals.set(call.id, { isError: true, content: JSON.stringify({ error }) })
  }

  get #isFull(): boolean {
    return this.#toolBytes >= this.#input.limits.toolBytes
  }

  /** The outcome as the journal can keep it, cut (which it then says) where it would exceed the bytes of the turn. */
  bounded(outcome: ToolOutcome<T>): ToolOutcome<T> {
    const content = storable(outcome.content)
    const room = Math.max(this.#input.limits.toolBytes - this.#toolBytes, 0)
    const bytes = Buffer.from(content)
    if (bytes.length <= room || outcome.isError) return { ...outcome, content }
    // `stream` leaves out half a character at the end.
    const kept = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, room), {
      stream: true,
    })
    // What was cut off was not shown, so nothing of this result can be cited.
    return { ...outcome, sources: [], content: `${kept}… [cut: limit of the turn]` }
  }

  /** What the model is asked next. */
  request(): ModelRequest {
    return {
      messages: fitContext(this.messages, this.#input.limits.contextTokens),
      tools: this.toolSpecs,
      toolChoice: this.toolChoice(),
      sampling: this.#input.sampling,
    }
  }

  toolChoice(): ToolChoice {
    const lastCall = this.modelCalls + 1 >= this.#input.limits.modelCalls
    if (this.refusals.size > 0 || this.#isFull || lastCall) return 'none'
    // A tool the client demands is demanded of the first reply only, or the turn would never end.
    return this.modelCalls === 0 ? this.#input.toolChoice : 'auto'
  }
}

function endsEarly(reply: ModelStep): boolean {
  return reply.reason === 'length' || reply.reason === 'content_filter'
}
