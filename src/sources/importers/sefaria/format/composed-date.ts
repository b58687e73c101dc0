import { z } from 'zod'
import { type Years, yearsBetween } from '../../../periods/composed.ts'

/** A year as records write it: `1796` or `"1796"`. There is no year 0; some records begin there. */
const year = z
  .union([
    z.number(),
    z
      .string()
      .trim()
      .regex(/^-?\d+$/)
      .transform(Number),
  ])
  .pipe(z.int())
  .transform((written) => written || 1)

const recordShape = z.object({
  compDate: z.union([year.transform((one) => [one]), z.array(year).min(1).max(2)]),
  errorMargin: z
    .union([z.number(), z.string().trim().regex(/^\d+$/).transform(Number)])
    .pipe(z.int().min(0))
    .catch(0),
})

/**
 * When a work was written, by its record: one year, or the first and the last one. Older records have one year and a
 * margin of error to both sides. Undefined when the record has no such date.
 */
export function readComposed(value: unknown): Years | undefined {
  const record = recordShape.safeParse(value)
  if (!record.success) return undefined
  const { compDate, errorMargin } = record.data
  const [first = 1, last] = compDate
  if (last !== undefined) return yearsBetween(first, last)
  return yearsBetween(shifted(first, -errorMargin), shifted(first, errorMargin))
}

/** A year some years later, or earlier. Across the beginning of the era, the missing year 0 does not count. */
function shifted(year: number, by: number): number {
  const moved = year + by
  return moved * year > 0 ? moved : moved + Math.sign(by || 1)
}
