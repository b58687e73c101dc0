import { parsedJson } from '../json.ts'
import type { CallEnd, ModelRequest, TextListener } from '../provider.ts'
import { answerFormatOf } from '../schema/answer-format.ts'
import { schemaFault } from '../schema/json-schema.ts'
import { fillSchema } from '../schema/schema-filling.ts'
import { estimateUsage } from '../usage.ts'
import { shortened } from './shorten.ts'

/** The end of a call that was stopped. */
export const stopped: CallEnd = { type: 'error', kind: 'aborted', message: 'The turn was stopped.' }

const unfit: CallEnd = {
  type: 'error',
  kind: 'format',
  message:
    'The built-in model has no answer that fits the JSON Schema of the answer. Ask for a simpler one, or set up a language model.',
}

/** Sends an answer as a model does: in the requested format, within the limit of tokens, in pieces. */
export function sendReply(
  request: ModelRequest,
  answer: string,
  signal: AbortSignal,
  onText: TextListener,
): CallEnd {
  if (signal.aborted) return stopped
  const shape = shaped(request, answer)
  if (shape === undefined) return unfit
  const whole = untilStop(request, shape)
  const text = within(request, whole)
  if (!pieces(text).every((piece) => !signal.aborted && onText(piece)))
    return signal.aborted ? stopped : { type: 'enough' }
  return {
    type: 'finish',
    reason: text === whole ? 'stop' : 'length',
    toolCalls: [],
    usage: estimateUsage(request, text),
  }
}

/**
 * The answer in the requested JSON format, if any. Without a schema it is an object with the member `answer`.
 * Undefined if the generated value does not fit the schema.
 */
function shaped({ sampling }: ModelRequest, text: string): string | undefined {
  const format = answerFormatOf(sampling)
  if (!format) return text
  const free = sampling.responseFormat?.['type'] === 'json_object'
  const value = free ? (objectIn(text) ?? { answer: text }) : fillSchema(format.schema, text)
  return schemaFault(format.schema, value) === null ? JSON.stringify(value) : undefined
}

/** The object that a text is, if it is the JSON of one. */
function objectIn(text: string): object | undefined {
  return text.startsWith('{') ? (parsedJson(text) as object | undefined) : undefined
}

/** The answer before the first stop text of the request. JSON stays whole, because a part of it cannot be parsed. */
function untilStop({ sampling }: ModelRequest, text: string): string {
  if (answerFormatOf(sampling)) return text
  const places = (sampling.stop ?? []).map((stop) => (stop === '' ? -1 : text.indexOf(stop)))
  const found = places.filter((place) => place !== -1)
  return found.length === 0 ? text : text.slice(0, Math.min(...found))
}

/** The answer within the token limit of the request. JSON stays whole, because a part of it cannot be parsed. */
function within({ sampling }: ModelRequest, text: string): string {
  const { maxTokens } = sampling
  return maxTokens === undefined || answerFormatOf(sampling) ? text : shortened(text, maxTokens)
}

/** Pieces of about 60 characters, cut at spaces, so that the answer streams like that of a model. */
function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,60}(?:\s|$)|[\s\S]{1,60}/gu) ?? []
}
