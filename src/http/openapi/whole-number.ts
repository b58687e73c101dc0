import { z } from 'zod'

/**
 * A whole number in a query, such as `limit=20`. Its error names the bounds. Only digits are accepted: JavaScript also
 * reads `0x10`, `1e2` and an empty text as numbers.
 */
export function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  const digits = (sent: unknown) => (typeof sent === 'string' && /^\d+$/.test(sent) ? Number(sent) : sent)
  return z.preprocess(digits, z.number(rule).int(rule).min(min, rule).max(max, rule))
}
