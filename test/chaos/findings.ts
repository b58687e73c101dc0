import type { Rows, RunRow } from './evidence.ts'
import type { Closing, EventsSeen, Recorded, RunSeen, Tried } from './history.ts'
import type { Intent } from './plan.ts'
import { expectedText, parseQuestions, type Question } from './questions.ts'

/** All results of a harness run, for the checker. */
export type Findings = {
  readonly entries: readonly Recorded[]
  readonly rows: Rows
  /** Log lines of the replicas that should not exist. */
  readonly badLines: readonly string[]
  /** The list of sources at the end of an answer, as it was before the first fault. */
  readonly sourceList: string
}

export type Attempt = Tried & {
  readonly at: number
  readonly type: 'ok' | 'fail' | 'unknown'
  readonly replica: string
}

/** All evidence about one intent. */
export type Story = {
  readonly intent: Intent
  readonly sessionId: string | undefined
  readonly attempts: readonly Attempt[]
  readonly firstSentAt: number | undefined
  /** When the client first received the run's id. */
  readonly toldAt: number | undefined
  readonly seen: readonly RunSeen[]
  readonly followed: readonly EventsSeen[]
  readonly cancelled: boolean
  readonly closed: Closing | undefined
  /** The runs that contain its question. */
  readonly runs: readonly RunRow[]
}

/** The findings, grouped by intent and run. */
export type View = {
  readonly findings: Findings
  readonly stories: readonly Story[]
  readonly runs: ReadonlyMap<string, RunRow>
  storyOf(runId: string): Story | undefined
  /** The answer of a run, with its list of sources; a prefix if the run did not complete. */
  shownText(run: RunRow): string
  /** The answer without that list, as the conversation stores it. */
  keptText(run: RunRow): string
}

/** A guarantee of the service. `broken` yields one line per violation. */
export type Rule = { readonly name: string; readonly broken: (view: View) => Iterable<string> }

export function viewOf(findings: Findings): View {
  const { entries, rows } = findings
  const runs = new Map(rows.runs.map((run) => [run.id, run]))
  const questionOfRun = new Map<string, Question>()
  for (const { runId, role, text } of rows.messages) {
    const question = role === 'user' ? parseQuestions(text)[0] : undefined
    if (question) questionOfRun.set(runId, question)
  }
  const runsOfQuestion = Map.groupBy(rows.runs, ({ id }) => questionOfRun.get(id)?.id)
  const byIntent = Map.groupBy(entries, (entry) => intentOf(entry))
  const stories = entries.flatMap((entry) =>
    entry.type === 'intent'
      ? [storyOf(entry, byIntent.get(entry.intent.id) ?? [], runsOfQuestion.get(entry.intent.id) ?? [])]
      : [],
  )
  const storyOfRun = new Map(stories.flatMap((story) => story.runs.map((run) => [run.id, story] as const)))
  const sessions = Map.groupBy(rows.runs, ({ sessionId }) => sessionId)
  const keptText = (run: RunRow): string => {
    const question = questionOfRun.get(run.id)
    if (!question) return ''
    const earlier = (sessions.get(run.sessionId) ?? [])
      .filter(({ turn, status }) => turn < run.turn && (status === 'completed' || status === 'cancelled'))
      .toSorted((a, b) => a.turn - b.turn)
    return expectedText(
      question,
      earlier.map(({ id }) => questionOfRun.get(id)?.id ?? '?'),
    )
  }
  return {
    findings,
    stories,
    runs,
    storyOf: (runId) => storyOfRun.get(runId),
    keptText,
    shownText: (run) =>
      keptText(run) + (questionOfRun.get(run.id)?.shape === 'search' ? findings.sourceList : ''),
  }
}

function intentOf(entry: Recorded): string | undefined {
  if (!('intent' in entry)) return undefined
  return typeof entry.intent === 'string' ? entry.intent : entry.intent.id
}

function storyOf(
  { intent, sessionId }: Extract<Recorded, { type: 'intent' }>,
  entries: readonly Recorded[],
  runs: readonly RunRow[],
): Story {
  const attempts = entries.flatMap((entry) =>
    entry.type === 'ok' || entry.type === 'fail' || entry.type === 'unknown' ? [entry] : [],
  )
  return {
    intent,
    sessionId,
    attempts,
    firstSentAt: entries.find(({ type }) => type === 'sent')?.at,
    toldAt: attempts.find(({ reply }) => reply.runId !== undefined)?.at,
    seen: entries.flatMap((entry) => (entry.type === 'run seen' ? [entry] : [])),
    followed: entries.flatMap((entry) => (entry.type === 'events' ? [entry] : [])),
    cancelled: entries.some(({ type }) => type === 'cancel'),
    closed: entries.flatMap((entry) => (entry.type === 'closed' ? [entry.how] : []))[0],
    runs,
  }
}

/** Time at which a phase began; infinity if it never did. */
export function beginOf(findings: Findings, phase: string): number {
  const entry = findings.entries.find((e) => e.type === 'phase' && e.phase === phase)
  return entry?.at ?? Number.POSITIVE_INFINITY
}
