import { z } from 'zod'
import { count } from '../../../http/openapi/docs.ts'
import { serviceBlock } from '../../turn-reply/service-block.ts'
import { annotation, messagePart, outputItem, responseSchema, summaryText } from './reply-schema.ts'

const sequence_number = count.describe('Counts the events; what `starting_after` takes')
const output_index = count
const inCall = { item_id: z.string(), output_index }
const inMessage = { ...inCall, content_index: count }
const inSummary = { ...inCall, summary_index: z.literal(0) }
const logprobs = z.array(z.never())

/** An event with its number and its own members. */
const event = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), sequence_number, ...shape })
const lifecycle = <Type extends string>(type: Type) =>
  event(`response.${type}` as const, { response: responseSchema })
const ofItem = <Type extends string>(type: Type) =>
  event(`response.output_item.${type}` as const, { output_index, item: outputItem })
const ofPart = <Type extends string>(type: Type) =>
  event(`response.content_part.${type}` as const, { ...inMessage, part: messagePart })
const ofSummary = <Type extends string>(type: Type) =>
  event(`response.reasoning_summary_part.${type}` as const, { ...inSummary, part: summaryText })

const streamFailure = z.object({
  type: z.literal('invalid_request_error'),
  code: z.string(),
  message: z.string(),
  param: z.null(),
  x_service: serviceBlock,
})

export const streamEvent = z
  .discriminatedUnion('type', [
    lifecycle('created'),
    lifecycle('in_progress'),
    ofItem('added'),
    ofSummary('added'),
    event('response.reasoning_summary_text.delta', { ...inSummary, delta: z.string() }),
    event('response.reasoning_summary_text.done', { ...inSummary, text: z.string() }),
    ofSummary('done'),
    ofPart('added'),
    event('response.output_text.delta', { ...inMessage, delta: z.string(), logprobs }),
    event('response.output_text.annotation.added', { ...inMessage, annotation_index: count, annotation }),
    event('response.output_text.done', { ...inMessage, text: z.string(), logprobs }),
    event('response.refusal.delta', { ...inMessage, delta: z.string() }),
    event('response.refusal.done', { ...inMessage, refusal: z.string() }),
    ofPart('done'),
    ofItem('done'),
    event('response.function_call_arguments.delta', { ...inCall, delta: z.string() }),
    event('response.function_call_arguments.done', { ...inCall, name: z.string(), arguments: z.string() }),
    event('response.custom_tool_call_input.delta', { ...inCall, delta: z.string() }),
    event('response.custom_tool_call_input.done', { ...inCall, input: z.string() }),
    lifecycle('completed'),
    lifecycle('incomplete'),
    lifecycle('failed'),
    event('error', {
      code: z.string(),
      message: z.string(),
      param: z.null(),
      error: streamFailure,
    }).describe('The stream ends here although the turn goes on'),
  ])
  .meta({ id: 'ResponseStreamEvent', description: 'The JSON of one `data:` line of a streamed response.' })
