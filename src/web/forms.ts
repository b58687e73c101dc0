import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { errorTable, ServiceError } from '../errors.ts'

/**
 * The fields of a form or of a page's address.
 * @throws ServiceError `invalid_value` that names the first wrong field.
 */
export function readFields<T extends z.ZodType>(schema: T, source: unknown): z.output<T> {
  for (const [param, value] of Object.entries(source ?? {})) {
    // The database takes none, and nobody can type one.
    if ([value].flat().some((text) => typeof text === 'string' && text.includes('\0')))
      throw new ServiceError('invalid_value', 'A field holds a character that no text has.', { param })
  }
  const parsed = schema.safeParse(source ?? {})
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const field = issue?.path.join('.') ?? ''
  throw new ServiceError('invalid_value', `The field "${field}" is not right: ${issue?.message}.`, {
    param: field,
  })
}

/** What a form says above its fields when it comes back; anything but a mistake in the input is thrown on. */
export function problemOf(error: unknown): { readonly message: string; readonly status: number } {
  if (!(error instanceof ServiceError)) throw error
  const { status } = errorTable[error.code]
  if (status >= 500) throw error
  return { message: error.message, status }
}

/** The words of a `?done=` that a redirect carries; what is not in the table says nothing. */
export function doneMessage(
  request: FastifyRequest,
  messages: Readonly<Record<string, string>>,
): string | undefined {
  const { done } = request.query as { readonly done?: unknown }
  return typeof done === 'string' && Object.hasOwn(messages, done) ? messages[done] : undefined
}

/** Boxes with one name come as nothing, one text or several. */
export const manyTexts = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((value) => (value === undefined ? [] : [value].flat()))
