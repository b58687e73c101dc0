import type { Plan } from '../../../accounts/plans.ts'
import type { AccountCredits } from '../../../billing/account-credits.ts'
import type { Charge } from '../../../billing/usage/charges.ts'
import type { UsageRow } from '../../../billing/usage/usage.ts'
import type { Span } from '../../../billing/usage/usage-span.ts'
import type { TurnCounts } from '../../../turns/read/turn-counts.ts'

export type NamedRow = UsageRow & { readonly name: string | undefined }

/** The data that the usage page shows. */
export type UsageShown = {
  readonly accountId: string
  readonly plan: Plan
  readonly period: (typeof periods)[number]
  readonly span: Span
  readonly credits: AccountCredits
  /** When the allowance expires, and the next one is given. */
  readonly renewsAt: Date
  readonly turns: TurnCounts
  readonly storedBytes: number
  /** Requests of the current minute that this process counted. */
  readonly requests: number
  readonly days: readonly UsageRow[]
  readonly models: readonly NamedRow[]
  readonly keys: readonly NamedRow[]
  readonly projects: readonly NamedRow[]
  /** Named by their addresses. */
  readonly members: readonly NamedRow[]
  readonly charges: readonly Charge[]
  readonly hasMore: boolean
  readonly after: string | undefined
}

export const periods = ['7', '30', '90', 'month'] as const
