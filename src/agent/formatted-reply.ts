import { type AnswerFormat, correction, formatFault, jsonTextOf } from './answer-format.ts'
import { endsEarly, type ModelFault, type ModelStep } from './events.ts'
import type { ModelRequest, Usage } from './provider.ts'
import { storable } from './storable-text.ts'

/** How a reply is got: one model call, of which nothing is shown, and the question whether the turn may make another one. */
export type ReplySource = {
  readonly format: AnswerFormat
  readonly ask: (request: ModelRequest) => Promise<ModelStep | ModelFault>
  /** A text says why not. */
  readonly budget: (request: ModelRequest) => Promise<string | null>
  readonly show: (text: string) => void
}

/**
 * A reply in a turn whose answer is read by a program. What the model says beside tool calls would spoil the JSON and is
 * left out; the answer is shown when it is whole and fits. One that does not fit is asked for once more, within the same
 * step; a second one that does not fit is a fault.
 */
export async function formattedReply(
  source: ReplySource,
  request: ModelRequest,
): Promise<ModelStep | ModelFault> {
  const first = await source.ask(request)
  if (first.kind === 'fault') return first
  if (first.toolCalls.length > 0) return { ...first, text: '' }
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
  if (notice !== null) return unfit(`${fault}. ${notice}`)
  const second = await ask(again)
  if (second.kind === 'fault') return second
  const secondFault = faultOf(second, format)
  if (secondFault !== null) return unfit(`${secondFault}.`)
  return { ...second, toolCalls: [], usage: sumOf(first.usage, second.usage) }
}

/** An answer that was cut off is given as it is: its `finish_reason` says so. */
function faultOf(reply: ModelStep, format: AnswerFormat): string | null {
  return endsEarly(reply) ? null : formatFault(jsonTextOf(reply.text), format)
}

function unfit(why: string): ModelFault {
  const message = storable(`The model did not answer in the form that was asked for: ${why.slice(0, 800)}`)
  return { kind: 'fault', failure: 'upstream', message }
}

function sumOf(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    estimated: a.estimated || b.estimated,
  }
}
