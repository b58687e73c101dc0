import { z } from 'zod'
import { boundedList, boundedText, bounds } from '../../../http/limits/bounds.ts'
import { idText } from '../../../http/openapi/zod.ts'
import { answerSchema, metadata, tokenLimit } from '../../turn-request/field-schemas.ts'
import { allowedMode, hostedChoice } from '../../turn-request/tools.ts'
import { responseTools, toolName } from './tools.ts'

const toolChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.object({ type: z.literal('function'), ...toolName }),
    z
      .object({ type: z.literal('custom'), ...toolName })
      .transform((choice) => ({ ...choice, type: 'function' as const })),
    z.object({
      type: z.literal('allowed_tools'),
      mode: allowedMode,
      tools: boundedList(z.looseObject({ ...toolName, name: toolName.name.nullish() }), bounds.tools),
    }),
    hostedChoice,
  ],
  { error: 'must be `none`, `auto`, `required` or `{"type": "function", "name": …}`' },
)

const textFormat = z.union(
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.looseObject({
      type: z.literal('json_schema'),
      name: boundedText(bounds.name),
      description: boundedText(bounds.toolDescription).nullish(),
      schema: answerSchema.nullish(),
    }),
  ],
  { error: 'must be of type `text`, `json_object` or `json_schema` (with `name`)' },
)

/** Fields that change nothing. The response shows them as they were sent. */
const echoed = {
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  max_tool_calls: z.number().int().min(0).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  prompt_cache_key: boundedText(bounds.user).nullish(),
  safety_identifier: boundedText(bounds.user).nullish(),
  service_tier: boundedText(bounds.name).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
}

export const echoedNames = Object.keys(echoed) as readonly (keyof typeof echoed)[]

/** Schema of the fields that are read; `responsesParameters` lists the others. */
export const responsesBody = z.looseObject({
  model: boundedText(bounds.name).min(1).nullish(),
  /** `readItems` checks the items, because its errors say more than those of a union. */
  input: z.union(
    [boundedText(bounds.text), boundedList(z.unknown(), bounds.messages).min(1, 'must not be empty')],
    { error: 'must be a text or an array of 1 to 1,000 items' },
  ),
  instructions: boundedText(bounds.text).nullish(),
  previous_response_id: idText.nullish(),
  conversation: z
    .union([idText, z.object({ id: idText })], { error: 'must be an id or `{"id": …}`' })
    .nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_output_tokens: tokenLimit,
  parallel_tool_calls: z.boolean().nullish(),
  reasoning: z
    .object({
      effort: boundedText(bounds.effort).nullish(),
      summary: boundedText(bounds.effort).nullish(),
    })
    .nullish(),
  text: z.object({ format: textFormat.nullish() }).nullish(),
  tools: responseTools.nullish(),
  tool_choice: toolChoice.nullish(),
  user: boundedText(bounds.user).nullish(),
  metadata: metadata.nullish(),
  store: z.boolean().nullish(),
  ...echoed,
})

export type ResponsesBody = z.infer<typeof responsesBody>

/** A request whose tokens are counted. Every field may be absent. */
export const countedBody = z.preprocess(
  (body) => body ?? {},
  responsesBody.extend({
    model: responsesBody.shape.model.nullish(),
    input: z
      .union([boundedText(bounds.text), boundedList(z.unknown(), bounds.messages)], {
        error: 'must be a text or an array of at most 1,000 items',
      })
      .nullish(),
  }),
)

export type CountedBody = z.infer<typeof countedBody>
