import { z } from 'zod'

/** A whole number in a query, such as `limit=20`. Its error names the bounds. */
export function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  return z.coerce.number(rule).int(rule).min(min, rule).max(max, rule)
}
