import { endsEarly, type ModelFault, type ModelStep } from '../events.ts'
import type { ModelRequest, Usage } from '../provider.ts'
import { type AnswerFormat, correction, formatFault, jsonTextOf } from '../schema/answer-format.ts'
import { storable } from '../storable-text.ts'

/**
 * The source of a reply: one model call whose text is not shown, and the check whether the turn may make
 * another call.
 */
export type ReplySource = {
  readonly format: AnswerFormat
  readonly ask: (request: ModelRequest) => Promise<ModelStep | ModelFault>
  /** Resolves to the reason why not, or null. */
  readonly budget: (request: ModelRequest) => Promise<string | null>
  readonly show: (text: string) => void
}

/**
 * Gets a reply in a JSON format. Text next to tool calls is dropped, because it would break the JSON. The
 * answer is shown when it is complete and valid. An invalid answer is requested once more in the same step; a
 * second invalid answer is a fault.
 */
export async function formattedReply(
  source: ReplySource,
  request: ModelRequest,
): Promise<ModelStep | ModelFault> {
  const first = await source.ask(request)
  if (first.kind === 'fault') return first
  if (first.toolCalls.length > 0) return { ...first, text: '' }
  // A refusal needs no form, as with OpenAI.
  if (first.refusal !== undefined) return first
  const fault = faultOf(first, source.format)
  const reply = fault === null ? first : await corrected(source, request, first, fault)
  if (reply.kind === 'fault') return reply
  const text = jsonTextOf(reply.text)
  if (text !== '') source.show(text)
  return { ...reply, text }
}

async function corrected(
  { format, ask, budget }: ReplySource,
  request: ModelRequest,
  first: ModelStep,
  fault: string,
): Promise<ModelStep | ModelFault> {
  const messages = [...request.messages, ...correction(first.text, fault, format)]
  const again: ModelRequest = { ...request, messages, toolChoice: 'none' }
  const notice = await budget(again)
  if (notice !== null) return unfit(`${fault}. ${notice}`, first)
  const second = await ask(again)
  if (second.kind === 'fault') {
    const { unfinished = nothing } = second
    return { ...second, unfinished: both(first, unfinished), refused: first }
  }
  const reply = both(first, { ...second, toolCalls: [] })
  const secondFault = faultOf(second, format)
  return secondFault === null ? reply : unfit(`${secondFault}.`, reply)
}

/** A truncated answer is accepted as it is, because its `finish_reason` reports it. */
function faultOf(reply: ModelStep, format: AnswerFormat): string | null {
  return endsEarly(reply) || reply.refusal !== undefined ? null : formatFault(jsonTextOf(reply.text), format)
}

function unfit(why: string, reply: ModelStep): ModelFault {
  const message = storable(`The model did not answer in the form that was asked for: ${why.slice(0, 800)}`)
  return {
    kind: 'fault',
    failure: 'upstream',
    message,
    unfinished: { ...reply, unfinished: true },
    refused: reply,
  }
}

/** Stands for a second call that was not sent. */
const nothing: ModelStep = {
  kind: 'model',
  text: '',
  toolCalls: [],
  reason: 'length',
  usage: { promptTokens: 0, completionTokens: 0, estimated: true },
  unfinished: true,
}

/** Combines two calls into one step. */
const both = (first: ModelStep, second: ModelStep): ModelStep => ({
  ...second,
  usage: sumOf(first.usage, second.usage),
})

function sumOf(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    estimated: a.estimated || b.estimated,
  }
}
