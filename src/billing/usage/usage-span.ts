import { z } from 'zod'
import { ServiceError } from '../../errors.ts'

/** A day of usage as text. Days are in UTC. */
export const usageDay = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-11-21 (UTC)')

/** Instants; `to` is exclusive. */
export type Span = { readonly from: Date; readonly to: Date }

const dayMs = 86_400_000
const daysShown = 30
const maxDays = 366

/**
 * The span from the first to the last day, both included; default: the last 30 days.
 * @throws ServiceError `invalid_value` for a day that does not exist, days in the wrong order, or more than 366
 *   days.
 */
export function spanOf({
  start,
  end,
}: {
  readonly start?: string | undefined
  readonly end?: string | undefined
}): Span {
  const to = new Date(midnight(end ?? new Date().toISOString().slice(0, 10), 'end') + dayMs)
  const from = new Date(start === undefined ? to.getTime() - daysShown * dayMs : midnight(start, 'start'))
  if (from >= to)
    throw new ServiceError('invalid_value', '`start` is after `end`. Give an earlier `start`.', {
      param: 'start',
    })
  if (to.getTime() - from.getTime() > maxDays * dayMs) {
    throw new ServiceError(
      'invalid_value',
      `The days from \`start\` to \`end\` are more than ${maxDays}. Ask for fewer days.`,
      {
        param: 'start',
      },
    )
  }
  return { from, to }
}

function midnight(text: string, param: string): number {
  const time = Date.parse(`${text}T00:00:00Z`)
  // `Date.parse` accepts 30 February as 2 March.
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(text)) {
    throw new ServiceError(
      'invalid_value',
      `\`${param}\` is "${text}", which is not a day. Write it as 2026-11-23.`,
      { param },
    )
  }
  return time
}

/** The days of a span in order, such as `2026-11-21`. */
export function daysOf({ from, to }: Span): readonly string[] {
  const count = Math.round((to.getTime() - from.getTime()) / dayMs)
  return Array.from({ length: count }, (_, i) =>
    new Date(from.getTime() + i * dayMs).toISOString().slice(0, 10),
  )
}
