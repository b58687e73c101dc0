import { z } from 'zod'
import { count, instant } from '../../../http/openapi/docs.ts'
import { summaryStyles } from '../../../turns/run/run-request.ts'
import { serviceBlock } from '../../turn-reply/service-block.ts'

export const annotation = z
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

const refusalPart = z
  .object({ type: z.literal('refusal'), refusal: z.string() })
  .meta({ id: 'ResponseRefusal', description: 'The words with which the model refused to answer.' })

export const messagePart = z.discriminatedUnion('type', [outputText, refusalPart])

const itemStatus = z.enum(['in_progress', 'completed', 'incomplete'])

export const messageItem = z
  .object({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    status: itemStatus,
    content: z.array(messagePart),
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

export const customCallItem = z
  .object({
    id: z.string(),
    type: z.literal('custom_tool_call'),
    status: itemStatus,
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().optional().describe('The namespace of the tool, if it came in one'),
    input: z.string(),
  })
  .meta({
    id: 'ResponseCustomToolCall',
    description: 'A call of one of the client’s own tools of type `custom`.',
  })

export const summaryText = z.object({ type: z.literal('summary_text'), text: z.string() })

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

export const outputItem = z.discriminatedUnion('type', [reasoningItem, messageItem, callItem, customCallItem])

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
      .object({ code: z.enum(['server_error', 'invalid_prompt']), message: z.string() })
      .nullable()
      .describe('`x_service.error` has the code of the service'),
    incomplete_details: z.object({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
    frequency_penalty: z.number(),
    instructions: z.string().nullable(),
    max_output_tokens: count.nullable(),
    max_tool_calls: count.nullable(),
    metadata: z.record(z.string(), z.string()),
    model: z.string(),
    output: z.array(outputItem).describe('Empty until the turn has ended'),
    parallel_tool_calls: z.boolean(),
    presence_penalty: z.number(),
    previous_response_id: z.string().nullable(),
    prompt_cache_key: z.string().nullable(),
    reasoning: z.object({ effort: z.string().nullable(), summary: z.enum(summaryStyles).nullable() }),
    safety_identifier: z.string().nullable(),
    service_tier: z.string().describe('As sent. It changes nothing'),
    store: z.boolean(),
    temperature: z.number().describe('1 if the request has none; the model’s server then has its own'),
    text: z.object({ format }),
    tool_choice: z.union([
      z.enum(['none', 'auto', 'required']),
      z.object({ type: z.enum(['function', 'custom']), name: z.string() }),
    ]),
    tools: z.array(
      z.discriminatedUnion('type', [
        z.object({
          type: z.literal('function'),
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), z.unknown()),
          strict: z.null(),
        }),
        z.object({
          type: z.literal('custom'),
          name: z.string(),
          description: z.string().optional(),
          format: z.looseObject({ type: z.string() }).optional(),
        }),
      ]),
    ),
    top_logprobs: z.literal(0),
    top_p: z.number().describe('1 if the request has none; the model’s server then has its own'),
    truncation: z.enum(['auto', 'disabled']),
    usage: usage.optional().describe('When the turn has ended'),
    user: z.string().optional(),
    x_service: serviceBlock,
  })
  .meta({ id: 'ModelResponse' })
