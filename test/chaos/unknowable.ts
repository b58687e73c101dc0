import type { Findings, Story } from './findings.ts'

/** Beyond it no fault that has begun is under way. */
const longestFaultMs = 6_000

/**
 * Whether no server could know that a request without a key is sent again: its client gave a silent wire up, the wire was slow
 * or stalled, or the connection broke when the run had ended, its reply being on the way (docs/guarantees.md, "Cases that need a key").
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
