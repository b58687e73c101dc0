/**
 * Joins two refs to a range: `Tanya 32:1` and `Tanya 32:5` to `Tanya 32:1–5`. Refs without a common beginning are
 * both written in full.
 */
export function spanOf(first: string, last: string): string {
  if (first === last) return first
  const cut = commonBeginning(first, last)
  return cut === 0 ? `${first} – ${last}` : `${first}–${last.slice(cut)}`
}

/** Length of the common beginning of two refs, up to a space or colon, so that numbers stay whole. */
function commonBeginning(first: string, last: string): number {
  let cut = 0
  for (let i = 0; i < first.length && first[i] === last[i]; i += 1)
    if (/[\s:]/.test(first[i] ?? '')) cut = i + 1
  return cut
}
