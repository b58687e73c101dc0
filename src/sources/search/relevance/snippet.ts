import type { PassageWords } from '../phrases/passage-words.ts'

const longest = 240

type WeightOf = (term: string) => { readonly key: number; readonly weight: number } | undefined

type Hit = { readonly key: number; readonly weight: number; readonly start: number; readonly end: number }

/**
 * Returns the part of `text`, at most 240 characters, with the largest sum of weights.
 * @param weightOf weight of a term; a term counts once per part.
 */
export function snippetOf(text: string, read: PassageWords, weightOf: WeightOf): string {
  if (text.length <= longest) return text
  const hits = hitsIn(read, weightOf)
  // Leaves space for the words around the matches and for two ellipses.
  const room = longest - 40
  let best = { worth: 0, start: 0, end: Math.min(room, text.length) }
  for (let i = 0; i < hits.length; i += 1) {
    const first = hits[i]
    if (!first) break
    const seen = new Set<number>()
    let worth = 0
    let end = first.end
    for (let j = i; j < hits.length; j += 1) {
      const hit = hits[j]
      if (!hit || hit.end - first.start > room) break
      end = hit.end
      if (!seen.has(hit.key)) worth += hit.weight
      seen.add(hit.key)
    }
    if (worth > best.worth) best = { worth, start: first.start, end }
  }
  return cutAround(text, best.start, best.end)
}

function hitsIn(read: PassageWords, weightOf: WeightOf): readonly Hit[] {
  const hits: Hit[] = []
  for (const [at, { term }] of read.words.entries()) {
    const found = weightOf(term)
    if (found) hits.push({ ...found, start: read.startOf(at), end: read.endOf(at) })
  }
  return hits
}

/** Widens a range on both sides to the wanted length, and ends it between words. */
function cutAround(text: string, start: number, end: number): string {
  const spare = Math.max(0, longest - 2 - (end - start))
  let from = Math.max(0, start - Math.floor(spare / 2))
  const to = Math.min(text.length, from + longest - 2)
  from = Math.max(0, to - (longest - 2))
  const left = from === 0 ? 0 : Math.min(start, text.indexOf(' ', from) + 1 || from)
  const right = to === text.length ? to : Math.max(Math.min(end, to), text.lastIndexOf(' ', to))
  return `${left > 0 ? '…' : ''}${text.slice(left, right).trim()}${right < text.length ? '…' : ''}`
}
