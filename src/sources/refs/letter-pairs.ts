/** Pairs of letters that stand together in a text. */
export function letterPairs(text: string): ReadonlySet<string> {
  const pairs = new Set<string>()
  for (let i = 0; i + 1 < text.length; i += 1) pairs.add(text.slice(i, i + 2))
  return pairs
}

/** Dice's coefficient: 1 for equal sets, 0 for sets without a common member. */
export function dice(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0
  let common = 0
  for (const member of b) if (a.has(member)) common += 1
  return (2 * common) / (a.size + b.size)
}
