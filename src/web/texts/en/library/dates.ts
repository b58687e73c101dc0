/** A year, negative before the common era. */
export function year(value: number): string {
  return value < 0 ? `${-value} BCE` : String(value)
}

export function yearRange(from: number, to: number): string {
  if (from === to) return year(from)
  if (from < 0 && to > 0) return `${year(from)} – ${to} CE`
  return from < 0 ? `${-from}–${-to} BCE` : `${from}–${to}`
}

/** Such as `18th century`. @param number negative before the common era. */
export function century(number: number): string {
  const ordinal = Math.abs(number)
  const ending = endings[ordinal % 100 > 10 && ordinal % 100 < 14 ? 0 : ordinal % 10] ?? 'th'
  return `${ordinal}${ending} century${number < 0 ? ' BCE' : ''}`
}

const endings: readonly (string | undefined)[] = [undefined, 'st', 'nd', 'rd']
