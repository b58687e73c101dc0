import type { FastifyInstance, FastifyTypeProvider } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../../errors.ts'
import { atMost, bounds } from '../limits/bounds.ts'

/** Route schemas are zod schemas; handlers get their parsed values. */
export interface ZodTypes extends FastifyTypeProvider {
  readonly validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
}

/** Input that does not fit its schema: names the first field at fault. */
export class InputError extends Error {
  override readonly name = 'InputError'
  readonly #issue: z.core.$ZodIssue | undefined

  constructor(error: z.ZodError) {
    super('the input does not fit its schema')
    const [issue] = error.issues
    this.#issue = issue && boundOf(issue)
  }

  toServiceError(): ServiceError {
    const param = pathText(this.#issue?.path ?? [])
    // A body that is `null` is none: so it arrives when nothing was sent.
    const sent = param === '' ? (this.#issue?.input ?? undefined) : this.#issue?.input
    if (sent === undefined) {
      const what = param === '' ? 'A JSON body' : `\`${param}\``
      return new ServiceError(
        'missing_required_parameter',
        `${what} is required.`,
        param === '' ? {} : { param },
      )
    }
    const subject = param === '' ? 'The body' : `\`${param}\``
    return new ServiceError(
      'invalid_value',
      `${subject}: ${this.#issue?.message}.`,
      param === '' ? {} : { param },
    )
  }
}

/** Of a value with several forms, the bound that it exceeds in one of them tells more than the list of the forms. */
function boundOf(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors.flat().find((one) => one.code === 'too_big')
  return inner ? { ...inner, path: [...issue.path, ...inner.path], input: issue.input } : issue
}

/**
 * Checks a value and stops at the first fault: a large array of wrong items makes one issue, not one for each item.
 * `reportInput` tells a missing field from one of a wrong type.
 */
export function checkInput<T extends z.ZodType>(
  schema: T,
  value: unknown,
): z.ZodSafeParseResult<z.output<T>> {
  return schema.safeParse(value, firstFault)
}

/** `abortEarly` is what zod's own `validate` uses; `test/http/request-bounds.unit.test.ts` sees that parsing heeds it too. */
const firstFault: z.core.ParseContextInternal<z.core.$ZodIssue> = { reportInput: true, abortEarly: true }

/** An id that a client names. No id has the NUL character, which Postgres refuses: such a one names nothing. */
export const idText = z
  .string()
  .min(1)
  .max(bounds.id.most, atMost(bounds.id))
  .transform((text) => text.replaceAll('\0', '\ufffd'))

/** As the OpenAI API writes it: `messages[0].content`. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`))
    .join('')
}

export function registerZod(app: FastifyInstance): void {
  app.setValidatorCompiler<z.ZodType>(({ schema }) => (value: unknown) => {
    const parsed = checkInput(schema, value)
    return parsed.success ? { value: parsed.data } : { error: new InputError(parsed.error) }
  })
  // Replies are built by typed functions; the plain serialiser keeps unknown future fields.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.setSchemaErrorFormatter((errors) => errors[0] as unknown as Error)
}
