export type NearName = { readonly name: string; readonly nearest: string }

/**
 * Names that are not known but nearly are, each with the nearest known one: at most a quarter of its letters are wrong,
 * missing or too many.
 */
export function nearNames(names: readonly string[], known: readonly string[]): readonly NearName[] {
  return names.flatMap((name) => {
    if (known.includes(name)) return []
    const near = known
      // Names of other lengths differ by more, and the distance takes long to compute.
      .filter((nearest) => Math.abs(name.length - nearest.length) <= nearest.length / 4)
      .map((nearest) => ({ name, nearest, distance: editDistance(name, nearest) }))
      .filter(({ nearest, distance }) => distance <= nearest.length / 4)
      .sort((a, b) => a.distance - b.distance)[0]
    return near ? [{ name, nearest: near.nearest }] : []
  })
}

/** Levenshtein's distance of two short names. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j += 1)
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + Number(a[i] !== b[j])))
    row = next
  }
  return row.at(-1) ?? 0
}
