import { z } from 'zod'
import { count, instant } from '../../../http/openapi/docs.ts'
import { summaryStyles } from '../../../turns/run/run-request.ts'
import { serviceBlock } from '../../turn-reply/service-block.ts'

const annotation = z
  .object({
    type: z.literal('url_citation'),
    start_index: count,
    end_index: count,
    url: z.string(),
    title: z.string(),
  })
  .meta({ id: 'ResponseAnnotation' })

export const outputText = z
  .object({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(annotation),
    logprobs: z.array(z.never()).describe('Always empty'),
  })
  .meta({ id: 'ResponseOutputText' })

const itemStatus = z.enum(['in_progress', 'completed', 'incomplete'])

export const messageItem = z
  .object({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    status: itemStatus,
    content: z.array(outputText),
  })
  .meta({ id: 'ResponseMessage' })

export const callItem = z
  .object({
    id: z.string(),
    type: z.literal('function_call'),
    status: itemStatus,
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().optional().describe('The namespace of the function, if it came in one'),
    arguments: z.string(),
  })
  .meta({ id: 'ResponseFunctionCall', description: 'A call of one of the client’s own tools.' })

const summaryText = z.object({ type: z.literal('summary_text'), text: z.string() })

export const reasoningItem = z
  .object({
    id: z.string(),
    type: z.literal('reasoning'),
    status: itemStatus,
    summary: z.array(summaryText),
  })
  .meta({
    id: 'ResponseReasoning',
    description: 'What the agent did before its answer, one line per tool call, if the request wants it.',
  })

export const outputItem = z.discriminatedUnion('type', [reasoningItem, messageItem, callItem])

const format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.looseObject({ type: z.literal('json_schema'), name: z.string() }),
])

const usage = z
  .object({
    input_tokens: count,
    input_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }),
    output_tokens: count,
    output_tokens_details: z.object({ reasoning_tokens: count }),
    total_tokens: count,
    cost: z.number().min(0).describe('Credits charged for the turn'),
  })
  .meta({ id: 'ResponseUsage' })

export const responseSchema = z
  .object({
    id: z.string(),
    object: z.literal('response'),
    created_at: instant,
    access_programs: z.null(),
    status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
    background: z.boolean(),
    completed_at: z.null(),
    conversation: z.object({ id: z.string() }).nullable().describe('The conversation that the request named'),
    error: z
      .object({ type: z.literal('invalid_request_error'), code: z.string(), message: z.string() })
      .nullable(),
    incomplete_details: z.object({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
    frequency_penalty: z.literal(0),
    instructions: z.string().nullable(),
    max_output_tokens: count.nullable(),
    max_tool_calls: z.null(),
    metadata: z.record(z.string(), z.string()),
    model: z.string(),
    output: z.array(outputItem).describe('Empty until the turn has ended'),
    parallel_tool_calls: z.boolean(),
    presence_penalty: z.literal(0),
    previous_response_id: z.string().nullable(),
    reasoning: z.object({ effort: z.string().nullable(), summary: z.enum(summaryStyles).nullable() }),
    service_tier: z.literal('default'),
    store: z.literal(true),
    temperature: z.number().describe('1 if the request has none; the model’s server then has its own'),
    text: z.object({ format }),
    tool_choice: z.union([
      z.enum(['none', 'auto', 'required']),
      z.object({ type: z.literal('function'), name: z.string() }),
    ]),
    tools: z.array(
      z.object({
        type: z.literal('function'),
        name: z.string(),
        description: z.string(),
        parameters: z.record(z.string(), z.unknown()),
        strict: z.null(),
      }),
    ),
    top_logprobs: z.literal(0),
    top_p: z.number().describe('1 if the request has none; the model’s server then has its own'),
    truncation: z.literal('disabled'),
    usage: usage.optional().describe('When the turn has ended'),
    user: z.string().optional(),
    x_service: serviceBlock,
  })
  .meta({ id: 'Response' })

const sequence_number = count.describe('Counts the events; what `starting_after` takes')
const output_index = count
const inMessage = { item_id: z.string(), output_index, content_index: z.literal(0) }
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
    part: outputText,
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
