import { z } from 'zod'
import { yearBounds } from './composed.ts'

const { min, max } = yearBounds

const yearRule = `must be a year of the common era from ${min} to ${max}, such as 1796, or -500 for 500 BCE`
const yearAsked = z.coerce
  .number(yearRule)
  .int(yearRule)
  .min(min, yearRule)
  .max(max, yearRule)
  .refine((year) => year !== 0, yearRule)
  .optional()

const periodRule =
  'Century in which the work was written: `18`, or `-5` for the 5th BCE; `undated`: without a date'
const fromRule = 'Works written in this year or later; negative before the common era'
const toRule = 'Works written in this year or earlier'

/** When the works were written, see `PeriodFilter`. */
export const periodAsked = {
  period: z.string().trim().min(1).max(20).optional().describe(periodRule),
  from: yearAsked.describe(fromRule),
  to: yearAsked.describe(toRule),
}

/** `periodAsked` in the arguments of a tool, which are JSON. */
export const periodArguments = {
  period: periodAsked.period,
  from: z.int().min(min).max(max).optional().describe(fromRule),
  to: z.int().min(min).max(max).optional().describe(toRule),
}
