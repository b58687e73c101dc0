import { creditsText } from '../../src/billing/credits.ts'
import { beginOf, type Findings, type Story, viewOf } from './findings.ts'
import type { FaultKind, Recorded } from './history.ts'
import { callsOf, repeatsOf } from './rules-of-runs.ts'
import { mayRunTwice } from './unknowable.ts'

type Line = readonly [name: string, value: string | number]

/** What happened, in numbers. */
export function figuresOf(findings: Findings): readonly Line[] {
  const { entries, rows } = findings
  const { stories } = viewOf(findings)
  const count = (those: readonly unknown[]) => those.length
  const closed = (how: string) => count(stories.filter((story) => story.closed === how))
  const runs = (status: string) => count(rows.runs.filter((run) => run.status === status))
  const attempts = stories.flatMap((story) => story.attempts)
  const charged = rows.charges.reduce((sum, { micros }) => sum + micros, 0n)
  const takenOver = rows.runs.filter(({ epoch }) => epoch > 1)
  const calls = [...callsOf(entries).values()]
  return [
    ['the storm lasted', lengthLine(findings)],
    ['requests that clients wanted done', stories.length],
    [
      '  answered / ended / refused / left / gave up',
      ['answered', 'ended', 'refused', 'left', 'gave up'].map(closed).join(' / '),
    ],
    ['attempts at them', attempts.length],
    [
      '  cut, unreachable or without patience',
      count(attempts.filter(({ reply }) => /cut|unreachable|impatient/.test(reply.ending))),
    ],
    ['  attached to a run that was there', count(attempts.filter(({ reply }) => reply.replayed))],
    ['  answered with 5xx', count(attempts.filter(({ reply }) => (reply.status ?? 0) >= 500))],
    unkeyedLine(findings),
    ['turns (runs)', rows.runs.length],
    ['  completed / failed / cancelled', ['completed', 'failed', 'cancelled'].map(runs).join(' / ')],
    ['charges', `${rows.charges.length}, ${creditsText(charged)} credits`],
    ...faultLines(entries),
    [
      'starts that failed',
      count(entries.filter((e) => e.type === 'exit' && e.sent === undefined && !e.wasReady)),
    ],
    ['takeovers', `${takenOver.reduce((sum, { epoch }) => sum + epoch - 1, 0)} of ${takenOver.length} runs`],
    ['model calls', calls.flat().length],
    ['  repeated', calls.reduce((sum, those) => sum + repeatsOf(those), 0)],
    ['runs unfinished at the last fault', settleLine(findings)],
  ]
}

/** Retries without a key: charges, and extra charges that no server could have prevented. */
function unkeyedLine(findings: Findings): Line {
  const charged = new Set(findings.rows.charges.map(({ runId }) => runId))
  const unkeyed = viewOf(findings).stories.filter(({ intent }) => intent.guard === 'app')
  const chargesOf = ({ runs }: Story) => runs.filter(({ id }) => charged.has(id)).length
  const again = unkeyed.filter((story) => chargesOf(story) > 1)
  const sum = unkeyed.reduce((count, story) => count + chargesOf(story), 0)
  const unknowable = again.filter((story) => mayRunTwice(findings, story)).length
  return [
    'sent again without a key',
    `${unkeyed.length}, ${sum} charges, ${again.length} twice (${unknowable} unknowable)`,
  ]
}

const kinds: readonly FaultKind[] = [
  'kill',
  'aimed kill',
  'freeze',
  'sigterm',
  'backend terminated',
  'postgres crash',
  'client wires cut',
  'client wires half-closed',
  'client wires stalled',
  'client wires slow',
  'database wires cut',
  'database wires stalled',
  'database wires refused',
]

function faultLines(entries: readonly Recorded[]): Line[] {
  return kinds.map((kind) => [kind, entries.filter((e) => e.type === 'fault' && e.fault === kind).length])
}

function lengthLine(findings: Findings): string {
  const seconds = (beginOf(findings, 'calm') - beginOf(findings, 'storm')) / 1_000
  return Number.isFinite(seconds) ? `${Math.round(seconds)} s` : 'not at all'
}

/** Time until all runs ended that were active when the last fault was over. */
function settleLine(findings: Findings): string {
  const calm = beginOf(findings, 'calm')
  const times = findings.rows.runs
    .filter(
      ({ createdAt, finishedAt }) => createdAt.getTime() < calm && (finishedAt?.getTime() ?? calm) >= calm,
    )
    .map(({ finishedAt }) => (finishedAt ? finishedAt.getTime() - calm : Number.POSITIVE_INFINITY))
    .toSorted((a, b) => a - b)
  if (times.length === 0) return '0'
  const at = (share: number) => `${((times[Math.ceil(times.length * share) - 1] ?? 0) / 1_000).toFixed(1)} s`
  return `${times.length}, ended after p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`
}
