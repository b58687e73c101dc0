import { creditsText } from '../../billing/credits.ts'
import type { Share, Totals } from '../scores/totals.ts'

/** One figure of the totals. `isPart`: it is a part of the row above. */
export type Row = {
  readonly label: string
  readonly isPart?: true
  readonly text: (totals: Totals) => string
}

/** The figures of every report, in order. */
export const rows: readonly Row[] = [
  { label: 'questions', text: (totals) => String(totals.questions) },
  { label: 'not applicable: work not held', isPart: true, text: (totals) => String(totals.not_applicable) },
  { label: 'not asked', isPart: true, text: (totals) => String(totals.not_asked) },
  { label: 'asked', text: (totals) => String(totals.asked) },
  { label: 'answered', isPart: true, text: (totals) => String(totals.answered) },
  { label: 'refused', isPart: true, text: (totals) => String(totals.refused) },
  { label: 'failed technically', isPart: true, text: (totals) => String(totals.failed) },
  { label: 'sources found', text: ({ found }) => shareText(found) },
  { label: 'mean recall', text: ({ recall }) => (recall === null ? '–' : recall.toFixed(3)) },
  { label: 'rightly refused', text: (totals) => shareText(totals.rightly_refused) },
  { label: 'wrongly refused', text: (totals) => shareText(totals.wrongly_refused) },
  { label: 'forbidden source cited', text: (totals) => String(totals.forbidden_cited) },
  { label: 'quotations', text: ({ quotations }) => String(quotations.total) },
  { label: 'word for word', isPart: true, text: ({ quotations }) => String(quotations.verbatim) },
  { label: 'edited', isPart: true, text: ({ quotations }) => String(quotations.edited) },
  { label: 'close', isPart: true, text: ({ quotations }) => String(quotations.fuzzy) },
  { label: 'translation', isPart: true, text: ({ quotations }) => String(quotations.translation) },
  { label: 'in another passage', isPart: true, text: ({ quotations }) => String(quotations.misattributed) },
  { label: 'not found', isPart: true, text: ({ quotations }) => String(quotations.not_found) },
  { label: 'invented refs', text: (totals) => String(totals.unresolved_refs) },
  { label: 'marks without a source', text: (totals) => String(totals.removed_marks) },
  { label: 'credits', text: (totals) => creditsText(BigInt(totals.cost_micros)) },
  { label: 'time p50', text: (totals) => secondsText(totals.p50_ms) },
  { label: 'time p95', text: (totals) => secondsText(totals.p95_ms) },
]

/** Such as `41/50 (82 %)`. */
export function shareText({ count, of, share }: Share): string {
  return share === null ? '–' : `${count}/${of} (${Math.round(share * 100)} %)`
}

/** Such as `1.2 s`. */
export function secondsText(milliseconds: number | null): string {
  if (milliseconds === null) return '–'
  return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`
}
