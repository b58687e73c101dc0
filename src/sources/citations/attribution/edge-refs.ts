import { splitBlocks } from '../quotations/blocks.ts'
import type { Anchor } from '../quotations/quotes.ts'

/**
 * Finds the refs at the beginning or end of a `>` block, each with its brackets or dash. They name the source of the
 * block and are not quoted words.
 */
export function edgeRefs(text: string, refs: readonly Anchor[], marks: readonly Anchor[]): readonly Anchor[] {
  if (refs.length === 0) return []
  return splitBlocks(text)
    .filter(({ kind }) => kind === 'quote')
    .flatMap(({ start, end }) => {
      const inBlock = [...refs, ...marks]
        .filter((anchor) => anchor.start >= start && anchor.end <= end)
        .toSorted((a, b) => a.start - b.start)
      const edges = new Set([...leading(text, start, inBlock), ...leading(text, end, inBlock.toReversed())])
      return refs.filter((ref) => edges.has(ref)).map((ref) => withSigns(text, ref, start, end))
    })
}

/** Returns the anchors at an edge that have only punctuation between them. */
function leading(text: string, edge: number, anchors: readonly Anchor[]): readonly Anchor[] {
  const found: Anchor[] = []
  let at = edge
  for (const anchor of anchors) {
    const gap = at <= anchor.start ? text.slice(at, anchor.start) : text.slice(anchor.end, at)
    if (gap.length > 200 || /[\p{L}\p{N}]/u.test(gap)) break
    found.push(anchor)
    at = at <= anchor.start ? anchor.end : anchor.start
  }
  return found
}

function withSigns(text: string, ref: Anchor, from: number, to: number): Anchor {
  const before =
    /[\s([{—–,;:-]*$/.exec(text.slice(Math.max(from, ref.start - 10), ref.start))?.[0].length ?? 0
  const after = /^[\s)\]}:,;.]*/.exec(text.slice(ref.end, Math.min(to, ref.end + 10)))?.[0].length ?? 0
  return { start: ref.start - before, end: ref.end + after, keys: [] }
}
