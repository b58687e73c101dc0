import { dice, letterPairs } from '../refs/letter-pairs.ts'

/** Of longer names only the beginning is compared. */
const maxLength = 120

/** Minimum similarity of a suggested name. Less similar names would be guesses. */
const minLikeness = 0.3

/**
 * Returns the names most similar to an unknown one, best first. Similarity is Dice's coefficient of letter pairs, for
 * the best key of a name: 1 for equal, 0 for nothing in common.
 */
export function similarNames(
  wanted: string,
  names: readonly string[],
  keyOf: (name: string) => string,
  count: number,
): readonly string[] {
  const asked = letterPairs(keyOf(wanted).slice(0, maxLength))
  return names
    .map((name) => ({ name, likeness: dice(asked, letterPairs(keyOf(name).slice(0, maxLength))) }))
    .filter(({ likeness }) => likeness >= minLikeness)
    .sort((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name)
}
