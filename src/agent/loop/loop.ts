import { messageOf } from '../../errors.ts'
import type { FailedCall, ModelFault, ModelStep, TurnEnd, TurnFailure, TurnProgress } from '../events.ts'
import type { CallEnd, ModelRequest, ToolCall } from '../provider.ts'
import { answerFormatOf } from '../schema/answer-format.ts'
import { storable, storableCall } from '../storable-text.ts'
import { estimateUsage } from '../usage.ts'
import { formattedReply } from './formatted-reply.ts'
import type { LoopInput } from './loop-input.ts'
import { ReplyText, SlicedText, withoutHalfPair } from './reply-text.ts'
import { describeCall, runToolCalls } from './tool-calls.ts'
import { finished, Turn } from './turn-state.ts'

/** Receives the events of a turn as they happen. It must not throw. */
export type Listener = (event: TurnProgress) => void

/**
 * Runs one agent turn: it calls the model, runs the requested tools, and repeats this until the model answers.
 * It uses no HTTP, no database and no clock. See `AgentEvent` for the order of events. It resolves with the end
 * and never rejects.
 */
export async function runAgent<Transaction>(input: LoopInput<Transaction>, emit: Listener): Promise<TurnEnd> {
  const turn = new Turn(input)
  try {
    while (true) {
      const end = await advance(input, turn, emit)
      if (end) return end
    }
  } catch (error) {
    return failed(input.signal.aborted ? 'aborted' : 'internal', messageOf(error))
  }
}

const failed = (kind: TurnFailure, message: string, call: FailedCall = {}): TurnEnd => ({
  ...{ type: 'turn.failed', kind, message },
  ...call,
})

/** One round: open tool calls, then the next model reply. Returns the end of the turn, or null to continue. */
async function advance<T>(input: LoopInput<T>, turn: Turn<T>, emit: Listener): Promise<TurnEnd | null> {
  const calls = turn.openCalls()
  if (calls.length > 0) {
    const notice = await input.toolBudget(calls)
    if (notice !== null) return finished('length', notice)
    await answerToolCalls(input, turn, calls, emit)
  }
  if (input.signal.aborted) return failed('aborted', stopped)
  const end = turn.end()
  if (end) return end
  if (turn.step === 0 && input.firstCalls?.length) {
    presetCalls(input, turn, input.firstCalls, emit)
    return null
  }
  if (turn.modelCalls >= input.limits.modelCalls)
    return finished('length', 'The turn reached its limit of steps.')
  const request = turn.request()
  const notice = await input.budget(request)
  if (notice !== null) return finished('length', notice)
  return callModel(input, turn, request, emit)
}

async function answerToolCalls<T>(
  input: LoopInput<T>,
  turn: Turn<T>,
  calls: readonly ToolCall[],
  emit: Listener,
): Promise<void> {
  const first = turn.step + 1
  for (const [i, call] of calls.entries()) {
    emit({ type: 'tool.started', step: first + i, call, title: describeCall(input.tools, call) })
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
      emit({ type: 'tool.finished', step: turn.step, record })
    }
  } finally {
    await outcomes.return(undefined)
  }
}

/** Records a first step without a model call. It is free, and its tool calls run normally. */
function presetCalls<T>(
  input: LoopInput<T>,
  turn: Turn<T>,
  calls: readonly Omit<ToolCall, 'id'>[],
  emit: Listener,
): void {
  const step = turn.step + 1
  emit({ type: 'step.started', step })
  const record: ModelStep = {
    kind: 'model',
    text: '',
    toolCalls: calls.map((call) => ({ ...call, id: input.newCallId() })),
    reason: 'tool_calls',
    usage: { promptTokens: 0, completionTokens: 0, estimated: false },
    preset: true,
  }
  input.journal.model(record)
  turn.add(record)
  emit({ type: 'step.finished', step, record })
}

async function callModel<T>(
  input: LoopInput<T>,
  turn: Turn<T>,
  request: ModelRequest,
  emit: Listener,
): Promise<TurnEnd | null> {
  const step = turn.step + 1
  emit({ type: 'step.started', step })
  const format = answerFormatOf(input.sampling)
  const shown = new SlicedText(input.signal, (text) => emit({ type: 'text.delta', step, text }))
  const show = (text: string) => shown.add(text)
  const replying = format
    ? formattedReply(
        { format, ask: (one) => streamReply(input, turn, one, ignore), budget: input.budget, show },
        request,
      )
    : streamReply(input, turn, request, show)
  const reply = await replying.finally(() => shown.end())
  if (reply.kind === 'fault') {
    const { kind: _, failure, message, ...call } = reply
    return failed(failure, message, call)
  }
  if (!shown.isComplete)
    return failed('aborted', stopped, { unfinished: { ...reply, toolCalls: [], unfinished: true } })
  input.journal.model(reply)
  turn.add(reply)
  emit({ type: 'step.finished', step, record: reply })
  return null
}

const ignore = () => undefined
const stopped = 'The turn was stopped.'

/** Makes one model call and shows its text as it arrives, up to the turn's text limit. */
async function streamReply<T>(
  input: LoopInput<T>,
  turn: Turn<T>,
  request: ModelRequest,
  show: (text: string) => void,
): Promise<ModelStep | ModelFault> {
  const separator = turn.textLength > 0 ? '\n\n' : ''
  const text = new ReplyText(input.limits.textLength - turn.textLength - separator.length, (piece, isFirst) =>
    show(isFirst ? separator + piece : piece),
  )
  // A call that is not sent is not charged.
  if (input.signal.aborted) return { kind: 'fault', failure: 'aborted', message: stopped }
  const end = await input.provider.ask(request, input.signal, (said) => text.add(said))
  const upstream = end.upstream && { upstream: end.upstream }
  if (end.type === 'error') {
    const unfinished = { ...cutOff(request, separator, text.toString()), unfinished: true, ...upstream }
    const fault = { kind: 'fault', failure: failureKind(end), message: storable(end.message) } as const
    return { ...fault, ...(end.param !== undefined && { param: end.param }), unfinished }
  }
  const isWhole = end.type === 'finish' && text.end()
  if (!isWhole) return { ...cutOff(request, separator, text.toString()), ...upstream }
  // Upstreams repeat ids. Ours are unique, because a client's tool results refer to them.
  const toolCalls = end.toolCalls.map((call) => ({ ...storableCall(call), id: input.newCallId() }))
  return {
    kind: 'model',
    text: text.toString(),
    toolCalls,
    reason: end.reason,
    usage: end.usage,
    ...(end.refusal !== undefined && {
      refusal: withoutHalfPair(storable(end.refusal).slice(0, input.limits.textLength)),
    }),
    ...(end.attached && { attached: { ...end.attached, callIds: toolCalls.map(({ id }) => id) } }),
    ...(end.leftOut && { leftOut: end.leftOut }),
    ...upstream,
  }
}

/** A reply that was not received completely. */
function cutOff(request: ModelRequest, separator: string, text: string): ModelStep {
  const usage = estimateUsage(request, text === '' ? '' : separator + text)
  return { kind: 'model', text, toolCalls: [], reason: 'length', usage }
}

/** A refusal that names no parameter of the client is a fault of our request or of the operator's settings. */
function failureKind({ kind, param }: Extract<CallEnd, { type: 'error' }>): TurnFailure {
  if (kind === 'rejected') return param === undefined ? 'upstream' : 'rejected'
  return kind === 'timeout' ? 'upstream' : kind
}
