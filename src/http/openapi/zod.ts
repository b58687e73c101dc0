import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import { z } from 'zod'
import { ServiceError, wrongField } from '../../errors.ts'
import { atMost, bounds } from '../limits/bounds.ts'

interface ZodTypes extends FastifyTypeProvider {
  readonly validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
}

/** An app whose handlers get what the zod schemas of their route parse. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypes
>

/** Input that does not match its schema. It names the first wrong field. */
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
    // A body of `null` is what arrives when the client sent none.
    const sent = param === '' ? (this.#issue?.input ?? undefined) : this.#issue?.input
    if (this.#issue && sent !== undefined) return wrongField(param, faultOf(this.#issue))
    if (param === '') return new ServiceError('missing_required_parameter', 'A JSON body is required.')
    return new ServiceError('missing_required_parameter', `\`${param}\` is required.`, { param })
  }
}

/** What is wrong: the message of the schema, or that of zod, with a bound that the schema does not word in plain words. */
function faultOf(issue: z.core.$ZodIssue): string {
  if (!/^Too (?:big|small):/.test(issue.message)) return issue.message
  const units: Readonly<Record<string, string>> = { string: ' characters', array: ' items' }
  if (issue.code === 'too_big') return `at most ${issue.maximum}${units[issue.origin] ?? ''}`
  if (issue.code === 'too_small') return `at least ${issue.minimum}${units[issue.origin] ?? ''}`
  return issue.message
}

/**
 * If a value has several forms and exceeds a bound of one, the bound helps more than a list of the forms. So does the
 * wrong part of a list, if only one of the forms is a list.
 */
function boundOf(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const all = issue.errors.flat()
  const tooBig = all.find((one) => one.code === 'too_big')
  if (tooBig) return { ...tooBig, path: [...issue.path, ...tooBig.path], input: issue.input }
  const inList = all.filter(({ path: [first] }) => typeof first === 'number')
  const [part] = inList
  // The list of the forms also names the values that an item may have.
  if (inList.length !== 1 || !part || part.code === 'invalid_value') return issue
  return boundOf({ ...part, path: [...issue.path, ...part.path] } as z.core.$ZodIssue)
}

/**
 * Checks a value and stops at the first fault: a large array of wrong items gives one issue. `reportInput`
 * separates a missing field from a wrong type.
 */
export function checkInput<T extends z.ZodType>(
  schema: T,
  value: unknown,
): z.ZodSafeParseResult<z.output<T>> {
  return schema.safeParse(value, firstFault)
}

/**
 * Checks a part of a request.
 * @param at the path of the part, with which those of its faults begin.
 * @throws InputError
 */
export function checkPart<T extends z.ZodType>(
  schema: T,
  value: unknown,
  at: readonly PropertyKey[],
): z.output<T> {
  const parsed = checkInput(schema, value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] }))
  throw new InputError(new z.ZodError(issues))
}

/**
 * zod's own `validate` uses `abortEarly`; `test/http/request-bounds.unit.test.ts` checks that parsing
 * supports it too.
 */
const firstFault: z.core.ParseContextInternal<z.core.$ZodIssue> = { reportInput: true, abortEarly: true }

/** Schema of an id from a client. An id with the NUL character, which Postgres refuses, matches nothing. */
export const idText = z
  .string()
  .min(1)
  .max(bounds.id.max, atMost(bounds.id))
  .transform((text) => text.replaceAll('\0', '\ufffd'))

/** Writes a path in the notation of the OpenAI API: `messages[0].content`. */
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
  // Replies are not filtered by a schema: typed functions build them, and future fields pass unchanged.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.setSchemaErrorFormatter((errors) => errors[0] as unknown as Error)
}
