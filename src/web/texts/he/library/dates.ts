/** A year, negative before the common era. */
export function year(value: number): string {
  return value < 0 ? `${-value} לפנה״ס` : String(value)
}

export function yearRange(from: number, to: number): string {
  if (from === to) return year(from)
  if (from < 0 && to > 0) return `${year(from)} – ${to} לספירה`
  return from < 0 ? `${-from}–${-to} לפנה״ס` : `${from}–${to}`
}

/** @param number negative before the common era. */
export function century(number: number): string {
  return `המאה ה־${Math.abs(number)}${number < 0 ? ' לפנה״ס' : ''}`
}
