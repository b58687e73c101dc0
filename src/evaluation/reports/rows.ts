import { creditsText } from '../../billing/credits.ts'
import type { Share, Totals } from '../scores/totals.ts'

/** One figure of the totals. `isPart`: it is a part of the row above. */
export type Row = {
  readonly label: string
  readonly isPart: boolean
  readonly figure: (totals: Totals) => number | null
  readonly text: (totals: Totals) => string
  /** The difference of two figures, without a plus sign. */
  readonly difference: (difference: number) => string
}

const count = (label: string, figure: (totals: Totals) => number, isPart = false): Row => ({
  ...{ label, isPart, figure },
  text: (totals) => String(figure(totals)),
  difference: String,
})

const part = (label: string, figure: (totals: Totals) => number): Row => count(label, figure, true)

/** Such as `41/50 (82 %)`. */
const share = (label: string, of: (totals: Totals) => Share): Row => ({
  ...{ label, isPart: false },
  figure: (totals) => of(totals).share,
  text: (totals) => {
    const { count, of: all, share } = of(totals)
    return share === null ? '–' : `${count}/${all} (${Math.round(share * 100)} %)`
  },
  difference: (difference) => `${Math.round(difference * 100)} %`,
})

const time = (label: string, figure: (totals: Totals) => number | null): Row => ({
  ...{ label, isPart: false, figure },
  text: (totals) => secondsText(figure(totals)),
  difference: (difference) => `${(difference / 1_000).toFixed(2)} s`,
})

/** The figures of every report, in order. */
export const rows: readonly Row[] = [
  count('questions', ({ questions }) => questions),
  part('not applicable: work not held', (totals) => totals.not_applicable),
  part('not asked', (totals) => totals.not_asked),
  count('asked', ({ asked }) => asked),
  part('answered', ({ answered }) => answered),
  part('refused', ({ refused }) => refused),
  part('failed technically', ({ failed }) => failed),
  share('sources found', ({ found }) => found),
  {
    ...{ label: 'mean recall', isPart: false },
    figure: ({ recall }) => recall,
    text: ({ recall }) => (recall === null ? '–' : recall.toFixed(3)),
    difference: (difference) => difference.toFixed(3),
  },
  share('rightly refused', (totals) => totals.rightly_refused),
  share('wrongly refused', (totals) => totals.wrongly_refused),
  count('forbidden source cited', (totals) => totals.forbidden_cited),
  count('quotations', ({ quotations }) => quotations.total),
  part('word for word', ({ quotations }) => quotations.verbatim),
  part('edited', ({ quotations }) => quotations.edited),
  part('close', ({ quotations }) => quotations.fuzzy),
  part('translation', ({ quotations }) => quotations.translation),
  part('in another passage', ({ quotations }) => quotations.misattributed),
  part('not found', ({ quotations }) => quotations.not_found),
  count('invented refs', (totals) => totals.unresolved_refs),
  count('marks without a source', (totals) => totals.removed_marks),
  {
    ...{ label: 'credits', isPart: false },
    figure: (totals) => Number(totals.cost_micros),
    text: (totals) => creditsText(BigInt(totals.cost_micros)),
    difference: (difference) => creditsText(BigInt(difference)),
  },
  time('time p50', (totals) => totals.p50_ms),
  time('time p95', (totals) => totals.p95_ms),
]

/** Such as `1.2 s`. */
export function secondsText(milliseconds: number | null): string {
  if (milliseconds === null) return '–'
  return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`
}
