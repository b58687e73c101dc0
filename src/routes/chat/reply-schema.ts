import { z } from 'zod'
import { count } from '../../http/openapi/docs.ts'
import { serviceBlock } from '../turn-reply/service-block.ts'
import {
  chatUsage,
  customCall,
  fileChange,
  finishReason,
  functionCall,
  toolCall,
} from '../turn-reply/turn-schema.ts'

const annotation = z
  .object({
    type: z.literal('url_citation'),
    url_citation: z.object({ start_index: count, end_index: count, url: z.string(), title: z.string() }),
  })
  .meta({ id: 'Annotation' })

/** The one call of a reply to a request with `functions`. */
const onlyCall = z.object({ name: z.string(), arguments: z.string() })
const chatFinish = z.enum([...finishReason.options, 'function_call'])

const reasoningMembers = {
  reasoning_content: z
    .string()
    .optional()
    .describe('Lines about what the agent does, if the request wants them'),
  reasoning: z.string().optional().describe('The same, for requests with `reasoning` or `include_reasoning`'),
}

export const completionSchema = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: count,
    model: z.string(),
    system_fingerprint: z.string().describe('The version of the service'),
    choices: z.array(
      z.object({
        index: count,
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable().describe('null if the model only refused'),
          refusal: z.string().nullable().describe('The words with which the model refused to answer'),
          ...reasoningMembers,
          annotations: z.array(annotation).optional(),
          tool_calls: z.array(toolCall).optional(),
          function_call: onlyCall.optional(),
        }),
        logprobs: z.null(),
        finish_reason: chatFinish,
      }),
    ),
    usage: chatUsage,
    x_service: serviceBlock,
  })
  .meta({ id: 'ChatCompletion' })

const step = count
export const progressEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('run.queued') }),
    z.object({ type: z.literal('run.started') }),
    z.object({ type: z.literal('step.started'), step }),
    z.object({ type: z.literal('step.restarted'), step }),
    z.object({ type: z.literal('tool.started'), step, name: z.string(), title: z.string() }),
    z.object({ type: z.literal('tool.finished'), step, name: z.string(), ok: z.boolean() }),
    z.object({ type: z.literal('file'), step, file: fileChange }),
  ])
  .meta({ id: 'TurnProgress', description: 'What the turn is doing; it may be passed over.' })

export const delta = z.object({
  role: z.literal('assistant').optional(),
  content: z.string().optional(),
  refusal: z.string().optional().describe('The words with which the model refused to answer, whole'),
  ...reasoningMembers,
  annotations: z.array(annotation).optional(),
  tool_calls: z
    .array(
      z.discriminatedUnion('type', [
        functionCall.extend({ index: count }),
        customCall.extend({ index: count }),
      ]),
    )
    .optional(),
  function_call: onlyCall.optional(),
})

export const chunkSchema = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: count,
    model: z.string(),
    choices: z
      .array(z.object({ index: count, delta, logprobs: z.null(), finish_reason: chatFinish.nullable() }))
      .max(1)
      .describe('One, but for the chunk with `usage`, which has none'),
    usage: chatUsage.optional(),
    x_service: z.union([serviceBlock, z.object({ event: progressEvent })]).optional(),
  })
  .meta({ id: 'ChatCompletionChunk' })

export const streamError = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.literal('invalid_request_error'),
      param: z.string().nullable(),
      code: z.string(),
      x_service: serviceBlock,
    }),
  })
  .meta({ id: 'ChatStreamError', description: 'A failure after the headers; only `[DONE]` follows it.' })

export const streamData = z
  .union([chunkSchema, streamError])
  .meta({ id: 'ChatStreamData', description: 'The JSON of one `data:` line of a streamed reply.' })
