/** Milliseconds of a day in UTC, which has no daylight saving time. */
const dayMs = 86_400_000

/**
 * The day of an instant, as `2026-11-23`.
 * @param zone such as `Asia/Jerusalem`.
 */
export function dayOf(instant: Date, zone = 'UTC'): string {
  const parts = new Intl.DateTimeFormat('en', {
    ...{ timeZone: zone, calendar: 'gregory' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  }).formatToParts(instant)
  const part = (name: string) => parts.find(({ type }) => type === name)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
}

/** One portion of a work: its place in the order of the work, from 0, and the number of the reading, from 1. */
export type Portion = { readonly index: number; readonly round: number }

/**
 * The portion of a day in a work of `portions` portions that is read one portion a day from the day `from` on. After
 * the last portion the first one follows. It depends on nothing else: everybody who begins on the same day reads the
 * same portion. Undefined before the first day, for a day that does not exist, and for a work without portions.
 */
export function portionOf(from: string, today: string, portions: number): Portion | undefined {
  const days = daysBetween(from, today)
  if (days === undefined || days < 0 || portions < 1) return undefined
  return { index: days % portions, round: Math.floor(days / portions) + 1 }
}

function daysBetween(from: string, to: string): number | undefined {
  const [start, end] = [from, to].map(startOfDay)
  return start === undefined || end === undefined ? undefined : (end - start) / dayMs
}

/** Undefined for a text that is no day of the calendar, such as `2026-02-30`. */
function startOfDay(day: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const instant = new Date(`${day}T00:00:00Z`)
  return Number.isNaN(instant.getTime()) || dayOf(instant) !== day ? undefined : instant.getTime()
}
