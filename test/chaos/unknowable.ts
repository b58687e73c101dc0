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

/** A start is on disk with the next end or within three times `wal_writer_delay` (0.2 s), see docs/guarantees.md. */
const unflushedMs = 600

/** Whether Postgres crashed before the start of the intent's run was on disk: the run is lost, and not charged. */
export function isLostInCrash({ entries, rows }: Findings, { toldAt, attempts }: Story): boolean {
  if (toldAt === undefined || rows.runs.some(({ id }) => attempts.some(({ reply }) => reply.runId === id)))
    return false
  return entries.some(
    (e) =>
      e.type === 'fault' &&
      e.fault === 'postgres crash' &&
      Math.abs(e.at - (e.detail ?? 0) - toldAt) <= unflushedMs,
  )
}
