import { z } from 'zod'
import { count } from '../../../http/openapi/docs.ts'
import { serviceBlock } from '../../turn-reply/service-block.ts'
import { annotation, messagePart, outputItem, responseSchema, summaryText } from './reply-schema.ts'

const sequence_number = count.describe('Counts the events; what `starting_after` takes')
const output_index = count
const inMessage = { item_id: z.string(), output_index, content_index: count }
const inSummary = { item_id: z.string(), output_index, summary_index: z.literal(0) }
const noLogprobs = z.array(z.never())

const lifecycle = <Type extends string>(type: Type) =>
  z.object({ type: z.literal(`response.${type}` as const), sequence_number, response: responseSchema })
const ofItem = <Type extends string>(type: Type) =>
  z.object({
    type: z.literal(`response.output_item.${type}` as const),
    sequence_number,
    output_index,
    item: outputItem,
  })
const ofPart = <Type extends string>(type: Type) =>
  z.object({
    type: z.literal(`response.content_part.${type}` as const),
    sequence_number,
    ...inMessage,
    part: messagePart,
  })

const ofSummary = <Type extends string>(type: Type) =>
  z.object({
    type: z.literal(`response.reasoning_summary_part.${type}` as const),
    sequence_number,
    ...inSummary,
    part: summaryText,
  })

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
    z.object({
      type: z.literal('response.reasoning_summary_text.delta'),
      sequence_number,
      ...inSummary,
      delta: z.string(),
    }),
    z.object({
      type: z.literal('response.reasoning_summary_text.done'),
      sequence_number,
      ...inSummary,
      text: z.string(),
    }),
    ofSummary('done'),
    ofPart('added'),
    z.object({
      type: z.literal('response.output_text.delta'),
      sequence_number,
      ...inMessage,
      delta: z.string(),
      logprobs: noLogprobs,
    }),
    z.object({
      type: z.literal('response.output_text.annotation.added'),
      sequence_number,
      ...inMessage,
      annotation_index: count,
      annotation,
    }),
    z.object({
      type: z.literal('response.output_text.done'),
      sequence_number,
      ...inMessage,
      text: z.string(),
      logprobs: noLogprobs,
    }),
    z.object({
      type: z.literal('response.refusal.delta'),
      sequence_number,
      ...inMessage,
      delta: z.string(),
    }),
    z.object({
      type: z.literal('response.refusal.done'),
      sequence_number,
      ...inMessage,
      refusal: z.string(),
    }),
    ofPart('done'),
    ofItem('done'),
    z.object({
      type: z.literal('response.function_call_arguments.delta'),
      sequence_number,
      item_id: z.string(),
      output_index,
      delta: z.string(),
    }),
    z.object({
      type: z.literal('response.function_call_arguments.done'),
      sequence_number,
      item_id: z.string(),
      output_index,
      name: z.string(),
      arguments: z.string(),
    }),
    z.object({
      type: z.literal('response.custom_tool_call_input.delta'),
      sequence_number,
      item_id: z.string(),
      output_index,
      delta: z.string(),
    }),
    z.object({
      type: z.literal('response.custom_tool_call_input.done'),
      sequence_number,
      item_id: z.string(),
      output_index,
      input: z.string(),
    }),
    lifecycle('completed'),
    lifecycle('incomplete'),
    lifecycle('failed'),
    z
      .object({
        type: z.literal('error'),
        sequence_number,
        code: z.string(),
        message: z.string(),
        param: z.null(),
        error: streamFailure,
      })
      .describe('The stream ends here although the turn goes on'),
  ])
  .meta({ id: 'ResponseStreamEvent', description: 'The JSON of one `data:` line of a streamed response.' })
