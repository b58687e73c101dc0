import type { CheckId, FindingId } from './wording.ts'

/** `adapted`: it works, but not as the request asked, such as without a refused parameter. */
export type CheckStatus = 'ok' | 'adapted' | 'failed' | 'skipped'

/** `needed`: turns do not work without it. `useful`: they do. */
export type Severity = 'needed' | 'useful'

/** The result of one check, as `--json` prints it and the database stores it. */
export type CheckResult = {
  readonly id: CheckId
  readonly title: string
  readonly proves: string
  readonly severity: Severity
  readonly status: CheckStatus
  /** Absent if it is `ok`. */
  readonly finding?: FindingId
  /** What was seen: numbers, the words of the model or of its server. */
  readonly note?: string
  readonly detail?: string
  readonly remedy?: string
  readonly calls: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** The price of its model calls, as clients would pay it. Nobody is charged. */
  readonly credits: string
  readonly ms: number
}

/** One run of all checks of a model. */
export type ModelCheck = {
  readonly model: string
  /** ISO 8601. */
  readonly checked_at: string
  /** Whether nothing failed that turns need. */
  readonly good_enough: boolean
  readonly interrupted: boolean
  readonly counts: Readonly<Record<CheckStatus, number>>
  readonly first_text_ms: number | null
  readonly tokens_per_second: number | null
  readonly calls: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly credits: string
  readonly checks: readonly CheckResult[]
}
