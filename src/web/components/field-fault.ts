import type { z } from 'zod'

/** Beginnings of the messages of zod itself, which are for programmers. Messages of our schemas begin otherwise. */
const ofZod = /^(?:Invalid|Too big|Too small|Unrecognized)/

/**
 * Why a field of a form or an address is wrong, for people. `texts/he/field-messages.ts` has each of these texts in
 * Hebrew.
 */
export function faultOf(issue: z.core.$ZodIssue | undefined): string {
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
