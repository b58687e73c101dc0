import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { errorTable, ServiceError } from '../../errors.ts'
import { atMost, boundedList, boundedText, bounds } from '../../http/limits/bounds.ts'
import { checkInput } from '../../http/openapi/zod.ts'
import { textsOf } from '../visitors/preferences.ts'
import { type Page, sendPage } from './page.ts'

/** Parses form bodies. Refuses a body with too many fields before it is parsed. */
export function registerFormBody(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => parseForm(body),
  )
}

function parseForm(text: string): object {
  let fields = 1
  for (let at = text.indexOf('&'); at !== -1 && fields <= bounds.formFields.max; fields += 1)
    at = text.indexOf('&', at + 1)
  if (fields > bounds.formFields.max) {
    throw new ServiceError('invalid_value', `The form may have ${atMost(bounds.formFields)}.`)
  }
  return parse(text, '&', '=', { maxKeys: 0 })
}

/**
 * Parses the fields of a form or of a page's URL.
 * @throws ServiceError `invalid_value` that names the first wrong field.
 */
export function readFields<T extends z.ZodType>(schema: T, source: unknown): z.output<T> {
  for (const [param, value] of Object.entries(source ?? {})) {
    // Postgres refuses the NUL character, and nobody can type it.
    if ([value].flat().some((text) => typeof text === 'string' && text.includes('\0')))
      throw new ServiceError('invalid_value', 'A field contains the NUL character. Remove it.', { param })
  }
  const parsed = checkInput(schema, source ?? {})
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const field = issue?.path.join('.') ?? ''
  throw new ServiceError('invalid_value', `The field "${field}" is not valid: ${faultOf(issue)}.`, {
    param: field,
  })
}

/**
 * Message, in the language of the reader, status and wrong field for a form that is shown again after wrong input.
 * Other errors are thrown again.
 */
export function problemOf(
  request: FastifyRequest,
  error: unknown,
): { readonly message: string; readonly status: number; readonly param: string | null } {
  if (!(error instanceof ServiceError)) throw error
  const { status } = errorTable[error.code]
  if (status >= 500) throw error
  return { message: textsOf(request).translate(error.message), status, param: error.param }
}

/**
 * Shows a form again with what was wrong.
 * @throws other errors than those of wrong input.
 */
export async function sendFormAgain(
  reply: FastifyReply,
  error: unknown,
  page: (problem: string, param: string | null) => Page | Promise<Page>,
): Promise<FastifyReply> {
  const { message, status, param } = problemOf(reply.request, error)
  return sendPage(reply, await page(message, param), status)
}

/** The message for the `?done=` of a redirect; undefined for a value that is not in the table. */
export function doneMessage(
  request: FastifyRequest,
  messages: Readonly<Record<string, string>>,
): string | undefined {
  const { done } = request.query as { readonly done?: unknown }
  return typeof done === 'string' && Object.hasOwn(messages, done) ? messages[done] : undefined
}

/** Checkboxes with one name arrive as nothing, one string or several. */
export const manyTexts = z
  .union([boundedText(bounds.name), boundedList(boundedText(bounds.name), bounds.boxes)])
  .optional()
  .transform((value) => (value === undefined ? [] : [value].flat()))

/** Beginnings of the messages of zod itself, which are for programmers. Messages of our schemas begin otherwise. */
const ofZod = /^(?:Invalid|Too big|Too small|Unrecognized)/

/**
 * Why a field of a form or an address is wrong, for people. `texts/he/field-messages.ts` has each of these texts in
 * Hebrew.
 */
function faultOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'it is wrong'
  if (issue.code === 'invalid_union')
    return faultOf(issue.errors.flat().find(({ code }) => code === 'too_big'))
  if (!ofZod.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'too_big':
      return tooBig(issue.origin, issue.maximum.toLocaleString('en-US'))
    case 'too_small':
      return issue.origin === 'string' ? 'it is empty' : `it must be at least ${issue.minimum}`
    case 'invalid_value':
      return `it must be one of: ${issue.values.map(String).join(', ')}`
    case 'invalid_type':
      return wrongType(issue)
    default:
      return 'it is wrong'
  }
}

function tooBig(origin: string, max: string): string {
  if (origin === 'string') return `it has more than ${max} characters`
  return origin === 'array' ? `it has more than ${max} values` : `it must be at most ${max}`
}

function wrongType({ expected, input }: z.core.$ZodIssueInvalidType): string {
  if (input === undefined) return 'it is missing'
  return expected === 'number' || expected === 'int' ? 'it must be a whole number' : 'it is wrong'
}
