import type { FastifyInstance, FastifyTypeProvider } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../errors.ts'

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
    this.#issue = error.issues[0]
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

/** An id that a client names. No id has the NUL character, which Postgres refuses: such a one names nothing. */
export const idText = z
  .string()
  .min(1)
  .transform((text) => text.replaceAll('\0', '\ufffd'))

/** As the OpenAI API writes it: `messages[0].content`. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`))
    .join('')
}

export function registerZod(app: FastifyInstance): void {
  app.setValidatorCompiler<z.ZodType>(({ schema }) => (value: unknown) => {
    // `reportInput` tells a missing field from one of a wrong type.
    const parsed = schema.safeParse(value, { reportInput: true })
    return parsed.success ? { value: parsed.data } : { error: new InputError(parsed.error) }
  })
  // Replies are built by typed functions; the plain serialiser keeps unknown future fields.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.setSchemaErrorFormatter((errors) => errors[0] as unknown as Error)
}
