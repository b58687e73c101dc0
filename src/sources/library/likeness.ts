/** The pairs of adjacent letters in a text. */
function bigrams(text: string): ReadonlySet<string> {
  const pairs = new Set<string>()
  for (let i = 0; i + 1 < text.length; i += 1) pairs.add(text.slice(i, i + 2))
  return pairs
}

/** Of longer names only the beginning is compared. */
const maxLength = 120

/** Minimum similarity of a suggested name. Less similar names would be guesses. */
const minLikeness = 0.3

/**
 * Returns the names most similar to an unknown one, best first. Similarity is Dice's coefficient of letter pairs, for
 * the best key of a name: 1 for equal, 0 for nothing in common.
 */
export function nearestNames(
  wanted: string,
  names: readonly string[],
  keyOf: (name: string) => string,
  count: number,
): readonly string[] {
  const asked = bigrams(keyOf(wanted).slice(0, maxLength))
  return names
    .map((name) => ({ name, likeness: dice(asked, bigrams(keyOf(name).slice(0, maxLength))) }))
    .filter(({ likeness }) => likeness >= minLikeness)
    .sort((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name)
}

function dice(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0
  let common = 0
  for (const pair of b) if (a.has(pair)) common += 1
  return (2 * common) / (a.size + b.size)
}
