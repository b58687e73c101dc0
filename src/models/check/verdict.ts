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
  readonly severity: Severity
  /** Without these checks this one proves nothing. */
  readonly after?: readonly CheckId[]
  /** The finding if the server refuses the request; default: `request_refused`. */
  readonly refused?: FindingId
  readonly run: (model: CheckedModel) => Promise<Verdict> | Verdict
}

export const passes = (note?: string): Verdict => (note === undefined ? {} : { note })

const excerptLength = 160

/** @param said words of the model or of its server. Only their beginning is kept. */
export function fails(finding: FindingId, said?: string): Verdict {
  if (said === undefined) return { finding }
  const line = said.replace(/\s+/g, ' ').trim()
  const excerpt = line.length > excerptLength ? `${line.slice(0, excerptLength)}…` : line
  return { finding, note: excerpt === '' ? '(nothing)' : excerpt }
}
