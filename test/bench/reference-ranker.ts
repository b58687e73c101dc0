/** Kept apart from the service's own: a reference that shares its code would share its mistakes. */
const k1 = 1.2
const b = 0.75

export type Ranker = (text: string) => Promise<readonly string[]>

type Document = {
  readonly ref: string
  readonly length: number
  readonly counts: ReadonlyMap<string, number>
}

/**
 * Exhaustive BM25: every document is scored for every question. A concept is a list of terms that count as one.
 * Returns refs, best first, ties in order of documents.
 */
export function referenceRanker(
  rows: readonly { readonly ref: string; readonly text: string }[],
  terms: (text: string) => readonly string[],
): (concepts: readonly (readonly string[])[], depth: number) => readonly string[] {
  const documents: Document[] = rows.map(({ ref, text }) => {
    const counts = new Map<string, number>()
    const all = terms(text)
    for (const term of all) counts.set(term, (counts.get(term) ?? 0) + 1)
    return { ref, length: all.length, counts }
  })
  const average = documents.reduce((sum, d) => sum + d.length, 0) / Math.max(1, documents.length)
  return (concepts, depth) => {
    const scores = new Float64Array(documents.length)
    for (const concept of concepts) {
      const variants = [...new Set(concept)]
      const frequencies = documents.map((d) =>
        variants.reduce((sum, term) => sum + (d.counts.get(term) ?? 0), 0),
      )
      const containing = frequencies.filter((frequency) => frequency > 0).length
      const idf = Math.log(1 + (documents.length - containing + 0.5) / (containing + 0.5))
      documents.forEach((document, i) => {
        const frequency = frequencies[i] ?? 0
        const damping = k1 * (1 - b + (b * document.length) / average)
        scores[i] = (scores[i] ?? 0) + (idf * frequency * (k1 + 1)) / (frequency + damping)
      })
    }
    const order = documents.map((_, i) => i).filter((i) => (scores[i] ?? 0) > 0)
    order.sort((i, j) => (scores[j] ?? 0) - (scores[i] ?? 0) || i - j)
    return order.slice(0, depth).map((i) => documents[i]?.ref ?? '')
  }
}
