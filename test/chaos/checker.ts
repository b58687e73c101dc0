import { type Findings, type Rule, viewOf } from './findings.ts'
import { rulesOfMoney } from './rules-of-money.ts'
import { rulesOfProcesses } from './rules-of-processes.ts'
import { rulesOfReplies } from './rules-of-replies.ts'
import { rulesOfRuns } from './rules-of-runs.ts'
import { rulesOfStorage } from './rules-of-storage.ts'

export const rules: readonly Rule[] = [
  ...rulesOfRuns,
  ...rulesOfMoney,
  ...rulesOfReplies,
  ...rulesOfStorage,
  ...rulesOfProcesses,
]

export type Violation = { readonly rule: string; readonly detail: string }

/** Every broken promise. */
export function check(findings: Findings): readonly Violation[] {
  const view = viewOf(findings)
  return rules.flatMap(({ name, broken }) => [...broken(view)].map((detail) => ({ rule: name, detail })))
}
