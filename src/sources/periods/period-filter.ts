import { type SQL, sql } from 'drizzle-orm'
import { ServiceError } from '../../errors.ts'
import { stripControls } from '../text/strip-controls.ts'
import { centuryOf, type Years, yearBounds, yearsOfCentury } from './composed.ts'

/** Limits works by the years in which they were written. A work of several years matches if one of them does. */
export type PeriodFilter = {
  /** The number of a century, negative before the common era, or `undated`. */
  readonly period?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** `Years` of a work `w`, or null, in a statement. */
export const composedYears = sql`
  case when w.composed_from is not null then json_build_object('from', w.composed_from, 'to', w.composed_to) end`

/** The period of works without a date. */
export const undated = 'undated'

/**
 * SQL conditions on a work `w`.
 * @throws ServiceError `invalid_value` for a period that is none, and for years in the wrong order.
 */
export function periodConditions({ period, from, to }: PeriodFilter): readonly SQL[] {
  if (from !== undefined && to !== undefined && from > to) {
    throw new ServiceError(
      'invalid_value',
      `The years begin with ${from} and end with ${to}. Give an earlier first year or a later last year.`,
      { param: 'from' },
    )
  }
  return [
    ...(period === undefined ? [] : [inPeriod(period)]),
    ...(from === undefined && to === undefined ? [] : [within({ ...allYears, ...definedOf({ from, to }) })]),
  ]
}

const allYears: Years = { from: yearBounds.min, to: yearBounds.max }

function definedOf(years: Partial<Record<keyof Years, number | undefined>>): Partial<Years> {
  return Object.fromEntries(Object.entries(years).filter(([, year]) => year !== undefined))
}

function inPeriod(written: string): SQL {
  const period = stripControls(written).trim()
  if (period === undated) return sql`w.composed_from is null`
  const century = /^-?\d{1,2}$/.test(period) ? Number(period) : 0
  const isKnown =
    century !== 0 && century >= centuryOf(yearBounds.min) && century <= centuryOf(yearBounds.max)
  if (isKnown) return within(yearsOfCentury(century))
  throw new ServiceError(
    'invalid_value',
    `The period "${period}" is no century. Use its number, such as 18, or -5 for the 5th century BCE, or "${undated}".`,
    { param: 'period' },
  )
}

function within({ from, to }: Years): SQL {
  return sql`(w.composed_from <= ${to} and w.composed_to >= ${from})`
}
