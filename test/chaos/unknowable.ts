import type { Findings, Story } from './findings.ts'

/** No fault takes longer. */
const longestFaultMs = 6_000

/**
 * Whether no server could detect that a request without a key is a retry: the client gave up in a silence,
 * the connection was slow or stalled, or it broke while the reply was on the way (docs/billing.md, "What no
 * key can tell").
 */
export function mayRunTwice(
  { entries }: Findings,
  { intent, attempts, runs, firstSentAt = 0 }: Story,
): boolean {
  if (intent.guard !== 'app') return false
  const lastAt = attempts.at(-1)?.at ?? firstSentAt
  const endedAt = runs[0]?.finishedAt?.getTime() ?? Number.POSITIVE_INFINITY
  const isUnseen = ({ reply, at }: Story['attempts'][number]) =>
    reply.ending === 'impatient' || (reply.ending === 'cut' && at >= endedAt)
  const isSlow = (entry: Findings['entries'][number]) =>
    entry.type === 'fault' &&
    (entry.fault === 'client wires stalled' || entry.fault === 'client wires slow') &&
    entry.at >= firstSentAt &&
    entry.at <= lastAt + longestFaultMs
  return attempts.some(isUnseen) || entries.some(isSlow)
}
