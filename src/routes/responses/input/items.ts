import { z } from 'zod'
import { ServiceError } from '../../../errors.ts'
import { boundedList, boundedText, bounds } from '../../../http/limits/bounds.ts'
import { checkPart, idText } from '../../../http/openapi/zod.ts'
import { imageUrl, namesOneFile, sentFile } from '../../turn-request/field-schemas.ts'
import { argumentsOf } from '../../turn-request/tools.ts'
import { foreignItem, readForeign } from './foreign-items.ts'
import { toolName } from './tools.ts'

const textPart = z.object({
  type: z.enum(['input_text', 'output_text', 'text']),
  text: boundedText(bounds.text),
})
const refusalPart = z.object({ type: z.literal('refusal'), refusal: boundedText(bounds.text) })
const imagePart = z
  .object({
    type: z.literal('input_image'),
    image_url: imageUrl.nullish(),
    file_id: idText.nullish(),
    detail: z.enum(['auto', 'low', 'high']).nullish(),
  })
  .refine(({ image_url: url, file_id: id }) => Boolean(url) !== Boolean(id), {
    error: 'must have an `image_url` or a `file_id`',
  })
const filePart = z
  .object({
    type: z.literal('input_file'),
    ...sentFile,
  })
  .refine(...namesOneFile)

/** A part of a function's output. */
const outputPart = z.discriminatedUnion('type', [textPart, imagePart, filePart], {
  error: 'must be a part of type `input_text`, `input_image` or `input_file`',
})

const content = z.union(
  [
    boundedText(bounds.text),
    boundedList(
      z.discriminatedUnion('type', [textPart, refusalPart, imagePart, filePart]),
      bounds.contentParts,
    ),
  ],
  {
    error:
      'must be a text or an array of parts of type `input_text`, `output_text`, `input_image` or `input_file`',
  },
)

const callShape = {
  call_id: boundedText(bounds.id).min(1),
  name: boundedText(bounds.name).min(1),
  namespace: toolName.namespace,
}
const resultShape = {
  call_id: idText,
  output: z.union([boundedText(bounds.text), boundedList(outputPart, bounds.contentParts)], {
    error: 'must be a text or an array of parts of type `input_text`, `input_image` or `input_file`',
  }),
}

/** Items by their type. A call of a custom tool and its output become those of the function that stands for it. */
const kinds = {
  message: z.object({
    type: z.literal('message').nullish(),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content,
  }),
  function_call: z.object({
    type: z.literal('function_call'),
    ...callShape,
    arguments: boundedText(bounds.text),
  }),
  function_call_output: z.object({ type: z.literal('function_call_output'), ...resultShape }),
  custom_tool_call: z
    .object({ type: z.literal('custom_tool_call'), ...callShape, input: boundedText(bounds.text) })
    .transform(({ input, ...call }) => ({
      ...call,
      type: 'function_call' as const,
      arguments: argumentsOf(input),
    })),
  custom_tool_call_output: z
    .object({ type: z.literal('custom_tool_call_output'), ...resultShape })
    .transform((result) => ({ ...result, type: 'function_call_output' as const })),
  item_reference: z.object({ type: z.literal('item_reference').nullish(), id: idText }),
} as const

/** An item of `input`, for the API description. */
export const inputItem = z.union([...Object.values(kinds), foreignItem]).meta({ id: 'ResponseInputItem' })

type Kind = keyof typeof kinds
export type Message = z.infer<typeof kinds.message> & { readonly type: 'message' }
export type FunctionCall = z.infer<typeof kinds.function_call>
export type FunctionCallOutput = z.infer<typeof kinds.function_call_output>
export type ItemReference = z.infer<typeof kinds.item_reference> & { readonly type: 'item_reference' }
export type Item = Message | FunctionCall | FunctionCallOutput | ItemReference

/**
 * The items of `input`; a string is a message of the user.
 * @param field the name of the field that has the items.
 * @throws InputError or ServiceError that names the first wrong field.
 */
export function readItems(input: string | readonly unknown[], field = 'input'): readonly Item[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return input.flatMap((sent, index) => {
    const foreign = readForeign(sent)
    if (foreign) return foreign.message ? [{ type: 'message', ...foreign.message }] : []
    const kind = kindOf(sent, `${field}[${index}]`)
    const item = checkPart(kinds[kind], sent, [field, index])
    return [{ ...item, type: item.type ?? kind } as Item]
  })
}

/** The kind of an item. Clients leave `type` out of messages and references. */
function kindOf(sent: unknown, place: string): Kind {
  const item = (typeof sent === 'object' && sent !== null ? sent : {}) as Readonly<Record<string, unknown>>
  const type = item['type'] ?? ('role' in item ? 'message' : 'item_reference')
  if (typeof type === 'string' && Object.hasOwn(kinds, type)) return type as Kind
  throw new ServiceError(
    'invalid_value',
    `Items of this type are not supported. Use one of: ${Object.keys(kinds).join(', ')}.`,
    { param: `${place}.type` },
  )
}

/** Whether the model wrote the item: a function call or an assistant message. */
export function isOfModel(item: Item): boolean {
  return item.type === 'function_call' || (item.type === 'message' && item.role === 'assistant')
}
