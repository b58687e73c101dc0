import { z } from 'zod'
import { boundedList, boundedText, bounds } from '../../http/limits/bounds.ts'
import { checkInput } from '../../http/openapi/zod.ts'
import type { CustomTool } from '../../turns/run/run-request.ts'
import { toolParameters } from './field-schemas.ts'

/** The members of a function that both APIs read. */
export const functionShape = {
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and - only, at most 64'),
  description: boundedText(bounds.toolDescription).nullish(),
  parameters: toolParameters.nullish(),
}

/**
 * Schema of a list of tools. Each tool is read by the schema of its type. Other types are tools that OpenAI runs
 * itself, such as `web_search` or `code_interpreter`: they are left out, because many clients send them unasked.
 */
export function toolList<T>(kinds: Readonly<Record<string, z.ZodType<T>>>) {
  const tool = z.looseObject({ type: z.string() }).transform((sent, context): T | undefined => {
    const kind = Object.hasOwn(kinds, sent.type) ? kinds[sent.type] : undefined
    if (!kind) return undefined
    const parsed = checkInput(kind, sent)
    if (parsed.success) return parsed.data
    context.issues.push(...(parsed.error.issues as z.core.$ZodRawIssue[]))
    return z.NEVER
  })
  return boundedList(tool, bounds.tools).transform((tools) => tools.filter((one) => one !== undefined))
}

/** Members of `allowed_tools` in a `tool_choice`. */
export const allowedMode = z.enum(['auto', 'required'])

/** A choice of a tool that OpenAI runs itself. It counts as `auto`, as its tool is left out. */
export const hostedChoice = z
  .looseObject({ type: z.string().regex(/^(?!(?:function|custom|allowed_tools)$)/) })
  .transform(() => 'auto' as const)

const grammar = z.object({
  syntax: z.enum(['lark', 'regex']),
  definition: boundedText(bounds.toolDescription),
})

/** The members of a tool of type `custom`, whose input is a text. @param format that of its API. */
const customShape = <F extends z.ZodType>(format: F) => ({
  name: functionShape.name,
  description: functionShape.description,
  format: format.nullish(),
})
const plainText = z.object({ type: z.literal('text') })

export const chatCustomShape = customShape(
  z.discriminatedUnion('type', [plainText, z.object({ type: z.literal('grammar'), grammar })]),
)
export const responsesCustomShape = customShape(
  z.discriminatedUnion('type', [plainText, grammar.extend({ type: z.literal('grammar') })]),
)

type SentCustom =
  | z.infer<z.ZodObject<typeof chatCustomShape>>
  | z.infer<z.ZodObject<typeof responsesCustomShape>>

/** A function that a client has sent; `custom` if it is a tool of type `custom`. */
export type SentFunction = z.infer<z.ZodObject<typeof functionShape>> & { readonly custom?: CustomTool }

/**
 * A tool of type `custom` as the function that stands for it: models of any server call functions, and its one
 * argument is the input. A grammar is only told, because no server of ours constrains a function's text by one.
 */
export function asFunction({ name, description, format }: SentCustom): SentFunction {
  const rules =
    format && 'grammar' in format ? format.grammar : format?.type === 'grammar' ? format : undefined
  const told = [
    description ?? '',
    rules === undefined ? '' : `The input must fit this grammar (${rules.syntax}):\n${rules.definition}`,
  ]
  const input = { type: 'string', description: 'The whole input of the tool' }
  return {
    name,
    description: told.filter((text) => text !== '').join('\n\n'),
    parameters: { type: 'object', properties: { input }, required: ['input'], additionalProperties: false },
    custom: { ...(description && { description }), ...(format && { format }) },
  }
}

/** The arguments of the function that stands for a tool of type `custom`. */
export function argumentsOf(input: string): string {
  return JSON.stringify({ input })
}
