import type { CheckedModel } from './checked-model.ts'
import type { Severity } from './model-check.ts'
import type { CheckId, FindingId } from './wording.ts'

/** What a check saw. Without a `finding` the model passes. */
export type Verdict = {
  readonly finding?: FindingId
  readonly note?: string
  /** The finding is no failure: it works in another way. */
  readonly isAdapted?: boolean
  /** It does not concern this model. */
  readonly isSkipped?: boolean
}

export type Check = {
  readonly id: CheckId
  /** Default: `needed`. */
  readonly severity?: Severity
  /** Without these checks this one proves nothing; default: `answer`. */
  readonly after?: readonly CheckId[]
  /** The finding if the server refuses the request; default: `request_refused`. */
  readonly refused?: FindingId
  readonly run: (model: CheckedModel) => Promise<Verdict> | Verdict
}

const excerptLength = 160

/** The beginning of a text, on one line. */
function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line === '') return '(nothing)'
  return line.length > excerptLength ? `${line.slice(0, excerptLength)}…` : line
}

/** @param said what was seen, or words of the model. */
export const passes = (said?: string): Verdict => (said === undefined ? {} : { note: excerpt(said) })

/** @param said words of the model or of its server. */
export const fails = (finding: FindingId, said?: string): Verdict =>
  said === undefined ? { finding } : { finding, note: excerpt(said) }
