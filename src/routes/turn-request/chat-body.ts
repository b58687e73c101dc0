import { z } from 'zod'
import { invalidValue } from '../../errors.ts'
import { boundedList, boundedText, bounds } from '../../http/limits/bounds.ts'
import { answerSchema, imageUrl, metadata, namesOneFile, sentFile, tokenLimit } from './field-schemas.ts'
import {
  allowedMode,
  argumentsOf,
  asFunction,
  chatCustomShape,
  functionShape,
  hostedChoice,
  type SentFunction,
  toolList,
} from './tools.ts'

const textPart = z.object({ type: z.literal('text'), text: boundedText(bounds.text) })
const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({
    url: imageUrl,
    detail: z.enum(['auto', 'low', 'high']).nullish(),
  }),
})
const filePart = z.object({
  type: z.literal('file'),
  file: z.object(sentFile).refine(...namesOneFile),
})
const refusalPart = z.object({ type: z.literal('refusal'), refusal: boundedText(bounds.text) })

const content = z.union(
  [
    boundedText(bounds.text),
    boundedList(
      z.discriminatedUnion('type', [textPart, imagePart, filePart, refusalPart], {
        error: 'must be a part of type `text`, `image_url` or `file`',
      }),
      bounds.contentParts,
    ),
  ],
  {
    error: 'must be a text or an array of parts of type `text`, `image_url` or `file`',
  },
)

const calledFunction = z.object({
  name: boundedText(bounds.name).min(1),
  arguments: boundedText(bounds.text),
})
const callId = boundedText(bounds.id).min(1)
const functionCall = z.object({
  id: callId,
  type: z.literal('function').nullish(),
  function: calledFunction,
})
const customCall = z
  .object({
    id: callId,
    type: z.literal('custom'),
    custom: z.object({ name: calledFunction.shape.name, input: boundedText(bounds.text) }),
  })
  .transform(({ id, custom }) => ({
    id,
    type: 'function' as const,
    function: { name: custom.name, arguments: argumentsOf(custom.input) },
  }))
const toolCall = z.looseObject({ type: z.string().nullish() }).pipe(z.union([functionCall, customCall]))

/** A message of any role. `content` may be absent if there are tool calls. */
export const message = z
  .object({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
    content: content.nullish(),
    name: boundedText(bounds.name).nullish(),
    tool_calls: boundedList(toolCall, bounds.toolCalls).nullish(),
    tool_call_id: boundedText(bounds.id).nullish(),
    function_call: calledFunction.nullish(),
  })
  .refine((m) => m.role !== 'tool' || typeof m.tool_call_id === 'string', {
    error: 'is required in a message of role `tool`',
    path: ['tool_call_id'],
  })
  .refine((m) => m.role === 'assistant' || (m.content !== undefined && m.content !== null), {
    error: 'is required in a message of this role',
    path: ['content'],
  })
  .refine(
    ({ role, content: parts }) =>
      role === 'user' || !Array.isArray(parts) || !parts.some((part) => part.type === 'file'),
    { error: 'files can be attached to messages of role `user` only', path: ['content'] },
  )
  .refine(
    ({ role, content: parts }) =>
      role === 'user' ||
      role === 'tool' ||
      !Array.isArray(parts) ||
      !parts.some((part) => part.type === 'image_url'),
    { error: 'images can be in messages of role `user` and `tool` only', path: ['content'] },
  )

export type ChatMessage = z.infer<typeof message>

/** Tools that the client runs. */
const functionTool = z.object({ type: z.literal('function'), function: z.object(functionShape) })
const customTool = z.object({ type: z.literal('custom'), custom: z.object(chatCustomShape) })
export const clientTool = z.union([functionTool, customTool])

const named = z.object({ name: boundedText(bounds.name) })
const allowedTools = z.object({
  mode: allowedMode,
  tools: boundedList(
    z
      .looseObject({ function: named.nullish(), custom: named.nullish() })
      .transform(({ function: one, custom }) => ({ function: one ?? custom })),
    bounds.tools,
  ),
})

const toolChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.object({ type: z.literal('function'), function: named }),
    z
      .object({ type: z.literal('custom'), custom: named })
      .transform(({ custom }) => ({ type: 'function' as const, function: custom })),
    z.object({ type: z.literal('allowed_tools'), allowed_tools: allowedTools }),
    hostedChoice,
  ],
  { error: 'must be `none`, `auto`, `required` or `{"type": "function", "function": {"name": …}}`' },
)

const functionChoice = z.union([z.enum(['none', 'auto']), z.object({ name: boundedText(bounds.name) })], {
  error: 'must be `none`, `auto` or `{"name": …}`',
})

const responseFormat = z.union(
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({
        name: boundedText(bounds.name),
        description: boundedText(bounds.toolDescription).nullish(),
        schema: answerSchema.nullish(),
      }),
    }),
  ],
  { error: 'must be of type `text`, `json_object` or `json_schema` (with `json_schema.name`)' },
)

/** Schema of the fields that are honoured; `chatParameters` lists the others. */
export const chatBody = z.looseObject({
  model: boundedText(bounds.name).min(1).nullish(),
  messages: boundedList(message, bounds.messages).min(1, 'must not be empty'),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  stop: z
    .union([boundedText(bounds.stop), boundedList(boundedText(bounds.stop), bounds.stops)], {
      error: 'must be a text or at most four texts',
    })
    .nullish(),
  seed: z.number().int().nullish(),
  reasoning_effort: boundedText(bounds.effort).nullish(),
  user: boundedText(bounds.user).nullish(),
  response_format: responseFormat.nullish(),
  tools: toolList<{ type: 'function'; function: SentFunction }>({
    function: functionTool,
    custom: customTool.transform(({ custom }) => ({ type: 'function', function: asFunction(custom) })),
  }).nullish(),
  tool_choice: toolChoice.nullish(),
  functions: boundedList(z.object(functionShape), bounds.tools).nullish(),
  function_call: functionChoice.nullish(),
  metadata: metadata.nullish(),
})

export type ChatBody = z.infer<typeof chatBody>

/** @throws ServiceError when `tool_choice` names a tool that the request does not send. */
export function refuseUnknownChoice({ tool_choice: chosen, tools }: ChatBody): void {
  if (!chosen || typeof chosen !== 'object') return
  if (chosen.type !== 'function') return
  if (tools?.some((tool) => tool.function.name === chosen.function.name)) return
  throw invalidValue(
    '`tool_choice` names a tool that is not in `tools`. Add the tool, or choose another.',
    'tool_choice',
  )
}
