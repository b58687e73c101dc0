import { ServiceError } from '../../errors.ts'
import type { Totals } from './totals.ts'

type Threshold = {
  readonly measures: (totals: Totals) => number | null
  readonly isMax?: true
  /** A share from 0 to 1; otherwise a number. */
  readonly isShare: boolean
  readonly label: string
}

/** Limits that the command line can set for the totals, by the name of their option. */
export const thresholds = {
  'min-found': {
    measures: ({ found }) => found.share,
    isShare: true,
    label: 'questions with their sources found',
  },
  'min-refused': {
    measures: ({ rightly_refused: refused }) => refused.share,
    isShare: true,
    label: 'questions rightly refused',
  },
  'min-verified': {
    measures: ({ verified }) => verified.share,
    isShare: true,
    label: 'quotations word for word, edited or close',
  },
  'max-forbidden': {
    measures: (totals) => totals.forbidden_cited,
    isMax: true,
    isShare: false,
    label: 'answers that cite a forbidden source',
  },
  'max-invented': {
    measures: (totals) => totals.unresolved_refs,
    isMax: true,
    isShare: false,
    label: 'refs that the library does not have',
  },
} as const satisfies Readonly<Record<string, Threshold>>

export type ThresholdName = keyof typeof thresholds

export type Limits = Partial<Readonly<Record<ThresholdName, number>>>

/**
 * Reads the limits from the options of the command line.
 * @throws ServiceError `invalid_value` for a value that is no number in range.
 */
export function readLimits(text: (option: string) => string | undefined): Limits {
  const limits: Partial<Record<ThresholdName, number>> = {}
  for (const [name, { isShare }] of Object.entries(thresholds) as readonly [ThresholdName, Threshold][]) {
    const written = text(name)
    if (written === undefined) continue
    const value = Number(written)
    const isRight = isShare ? value >= 0 && value <= 1 : Number.isInteger(value) && value >= 0
    if (written.trim() === '' || !isRight) {
      const takes = isShare ? 'a number from 0 to 1, such as 0.8' : 'a whole number from 0'
      throw new ServiceError('invalid_value', `--${name} takes ${takes}.`)
    }
    limits[name] = value
  }
  return limits
}

/** One sentence per limit that the totals miss. A share of nothing misses no limit. */
export function missedLimits(limits: Limits, totals: Totals): readonly string[] {
  return (Object.entries(limits) as readonly [ThresholdName, number][]).flatMap(([name, limit]) => {
    const { measures, label, isMax }: Threshold = thresholds[name]
    const value = measures(totals)
    if (value === null || (isMax ? value <= limit : value >= limit)) return []
    const shown = Number.isInteger(value) ? String(value) : value.toFixed(3)
    return [`--${name} ${limit} is missed: ${label}: ${shown}.`]
  })
}
