import { messageOf } from '../errors.ts'
import { answerFormatOf } from './answer-format.ts'
import type { AgentEvent, ModelFault, ModelStep, StepRecord, ToolStep, TurnFailure } from './events.ts'
import { formattedReply } from './formatted-reply.ts'
import type { LoopLimits } from './limits.ts'
import {
  estimateUsage,
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
import type { Toolbox, ToolOutcome } from './tools.ts'
import { finished, Turn, type TurnEnd } from './turn-state.ts'

/** Makes each finished step durable before the loop goes on; what it throws ends the turn as `internal`. */
export type Journal<Transaction> = {
  /** @param last true when no step follows: the end of the turn is recorded together with it. */
  model(step: number, record: ModelStep, last: boolean): Promise<void>
  /** Runs the outcome's deferred write and returns the step as it was recorded. */
  tool(step: number, call: ToolCall, outcome: ToolOutcome<Transaction>): Promise<ToolStep>
}

export type LoopInput<Transaction> = {
  readonly provider: Provider
  readonly tools: Toolbox<Transaction>
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

const failed = (kind: TurnFailure, message: string): TurnEnd => ({
  type: 'turn.failed',
  kind,
  message,
})

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
    yield { type: 'tool.started', step: first + i, call, title: describeCall(input.tools, call) }
  }
  const allowed = calls.filter((call) => !turn.refusals.has(call.id))
  const outcomes = runToolCalls(input.tools, allowed, input.signal, input.limits.parallelTools)
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
  const format = answerFormatOf(input.sampling)
  const ask = (one: ModelRequest) => hear(input, turn, one)
  const reply = yield* format
    ? formattedReply({ step, format, ask, budget: input.budget }, request)
    : ask(request)
  if (reply.kind === 'fault') return failed(reply.failure, reply.message)
  await input.journal.model(step, reply, turn.isLast(reply))
  turn.add(reply)
  yield { type: 'step.finished', step, record: reply }
  return null
}

/** One model call; what it says is yielded as it comes. */
async function* hear<T>(
  input: LoopInput<T>,
  turn: Turn<T>,
  request: ModelRequest,
): AsyncGenerator<AgentEvent, ModelStep | ModelFault> {
  const step = turn.step + 1
  const separator = turn.textLength > 0 ? '\n\n' : ''
  const pieces = new StorablePieces()
  let text = ''
  for await (const chunk of input.provider.stream(request, input.signal)) {
    if (chunk.type === 'error')
      return { kind: 'fault', failure: failureKind(chunk.kind), message: storable(chunk.message) }
    const piece = chunk.type === 'text' ? pieces.push(chunk.text) : pieces.rest()
    if (piece !== '') {
      yield { type: 'text.delta', step, text: text === '' ? separator + piece : piece }
      text += piece
    }
    if (chunk.type === 'finish') {
      // Upstreams repeat ids; ours are unique, since a client's tool results are found by them.
      const toolCalls = chunk.toolCalls.map((call) => ({ ...storableCall(call), id: input.newCallId() }))
      return { kind: 'model', text, toolCalls, reason: chunk.reason, usage: chunk.usage }
    }
    if (turn.textLength + separator.length + text.length > input.limits.textLength) break
  }
  return { kind: 'model', text, toolCalls: [], reason: 'length', usage: estimateUsage(request, text) }
}

function failureKind(kind: ProviderFailure): TurnFailure {
  return kind === 'aborted' || kind === 'context' ? kind : 'upstream'
}
