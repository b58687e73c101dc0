import { ServiceError } from '../../errors.ts'
import type { Totals } from './totals.ts'

type Threshold = {
  readonly measures: (totals: Totals) => number | null
  /** A number that may not be passed; otherwise a share from 0 to 1 that must be reached. */
  readonly isMax?: true
  readonly label: string
}

/** Limits that the command line can set for the totals, by the name of their option. */
export const thresholds = {
  'min-found': { measures: ({ found }) => found.share, label: 'questions with their sources found' },
  'min-refused': { measures: (totals) => totals.rightly_refused.share, label: 'questions rightly refused' },
  'min-verified': {
    measures: ({ verified }) => verified.share,
    label: 'quotations word for word, edited or close',
  },
  'max-forbidden': {
    measures: (totals) => totals.forbidden_cited,
    isMax: true,
    label: 'answers that cite a forbidden source',
  },
  'max-invented': {
    measures: (totals) => totals.unresolved_refs,
    isMax: true,
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
  for (const [name, { isMax }] of Object.entries(thresholds) as readonly [ThresholdName, Threshold][]) {
    const written = text(name)
    if (written === undefined) continue
    const value = Number(written)
    const isRight = value >= 0 && (isMax ? Number.isInteger(value) : value <= 1)
    if (written.trim() === '' || !isRight) {
      const takes = isMax ? 'a whole number from 0' : 'a number from 0 to 1, such as 0.8'
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
