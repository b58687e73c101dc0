import { z } from 'zod'
import { ServiceError } from '../../errors.ts'
import { boundedList, boundedText, bounds } from '../../http/limits/bounds.ts'
import { checkInput } from '../../http/openapi/zod.ts'
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

/** A choice of a tool of type `custom`; `refuseUnknownChoice` refuses it. */
export const customChoice = z.looseObject({ type: z.literal('custom') })

/** The refusal of a choice that forces a call of a tool that the service cannot call. */
export function customRefusal(): ServiceError {
  return new ServiceError(
    'invalid_value',
    'Tools of type `custom` are not supported, so none can be chosen. Send a tool of type `function`.',
    { param: 'tool_choice' },
  )
}
