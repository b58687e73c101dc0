import { z } from 'zod'
import { ServiceError } from '../../errors.ts'
import { isWebAddress } from '../library/source-url.ts'
import { parseYears, yearsRule } from '../periods/composed.ts'
import { readSegment } from './markup.ts'

const text = z.string({
  error: ({ input }) => (input === undefined ? 'is missing' : 'must be a text in quotation marks'),
})
const words = text.trim().min(1, 'must not be empty')
const optional = text.trim().default('')

/** The years of a work, as a number or a text. */
const years = z.union([z.string(), z.number()], yearsRule).transform((written, context) => {
  if (written === '') return undefined
  const read = parseYears(String(written))
  if (read) return read
  context.addIssue({ code: 'custom', message: `${yearsRule}, not "${written}"` })
  return z.NEVER
})

const lineShape = z.strictObject({
  work: words,
  ref: words,
  he_ref: optional,
  he: optional,
  en: optional,
  author: optional,
  category: z.union([z.string(), z.array(z.string())]).default([]),
  he_title: optional,
  composed: years.optional(),
  version_he: optional,
  version_en: optional,
  license: z.string().trim().min(1).default('own'),
  source_url: optional.refine((url) => url === '' || isWebAddress(url), {
    message: 'must be an address that begins with http:// or https://, without blanks',
  }),
  refs: z.array(words).default([]),
})

/** A text as stored: without markup, with its footnotes separate. */
export type LineText = { readonly text: string; readonly notes: readonly string[] }

/** One line of a JSON lines library, with its texts freed from markup. */
export type JsonlLine = Omit<z.infer<typeof lineShape>, 'he' | 'en'> & {
  readonly he: LineText
  readonly en: LineText
}

/**
 * Parses one line.
 * @param number line number in the file, from 1.
 * @throws ServiceError `invalid_value` naming the line and the field.
 */
export function readJsonlLine(raw: string, number: number): JsonlLine {
  let value: unknown
  try {
    value = JSON.parse(number === 1 ? raw.replace(/^\ufeff/, '') : raw)
  } catch (error) {
    throw badLine(number, `it is not a JSON object${whereIn(error, raw)}`)
  }
  const parsed = lineShape.safeParse(value)
  if (!parsed.success) {
    throw badLine(number, faultOf(parsed.error.issues[0]))
  }
  for (const [field, text] of Object.entries(parsed.data)) {
    if ([text].flat().some((value) => typeof value === 'string' && value.includes('\0')))
      throw badLine(number, `field "${field}" holds a NUL character`)
  }
  const [he, en] = [readSegment(parsed.data.he), readSegment(parsed.data.en)]
  if (he.text === '' && en.text === '')
    throw badLine(number, 'one of the fields "he" and "en" must hold a text')
  return { ...parsed.data, he, en }
}

/** Where a JSON text is faulty, as far as the parser says it, and the remedy for a file that is one list. */
function whereIn(error: unknown, raw: string): string {
  if (/^\s*\[/.test(raw)) return '. Write one object per line, without the brackets and commas of a list'
  const column = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined
  return column === undefined ? '' : `: there is a fault near character ${Number(column) + 1}`
}

/** An unknown field is refused, because it may be a known one in another spelling: `licence` would import as `own`. */
function faultOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys') {
    const known = Object.keys(lineShape.shape).join(', ')
    return `field "${issue.keys[0]}" is unknown. Remove it, or rename it to one of ${known}`
  }
  const field = issue?.path.join('.')
  return field ? `field "${field}": ${issue?.message}` : 'it is not a JSON object. Write one object per line'
}

export function badLine(number: number, what: string): ServiceError {
  return new ServiceError('invalid_value', `Line ${number} cannot be imported: ${what}. Nothing was changed.`)
}
