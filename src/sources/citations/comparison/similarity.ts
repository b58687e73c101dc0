/** The part of a text that is most similar to a pattern. */
export type TextWindow = { readonly start: number; readonly end: number; readonly similarity: number }

/** Remaining work. One step compares one character of the text with 32 characters of the pattern. */
export type Budget = { left: number }

/** About a third of a second. Ordinary answers need a hundredth of it; only hostile input reaches it. */
export const defaultSteps = 40_000_000

/**
 * Finds the contiguous window of `text`, from `from` on, that has the smallest edit distance to `pattern`.
 * Similarity is 1 - distance / the longer length, from 0 to 1. Time is length × length / 32 (Myers' bit vectors, in
 * blocks as Hyyrö describes) and is subtracted from `budget`.
 * @returns undefined for an empty pattern or text, or when the budget is used up.
 */
export function nearestWindow(
  pattern: string,
  text: string,
  from: number,
  budget: Budget,
): TextWindow | undefined {
  const length = text.length - from
  const blocks = Math.ceil(pattern.length / 32)
  if (blocks === 0 || length <= 0) return undefined
  const cost = (blocks + 2) * length
  if (cost > budget.left) return undefined
  budget.left -= cost
  const forward = minDistance(pattern, text, from, text.length, 1)
  // A window of distance d is at most d longer than the pattern.
  const lowest = Math.max(from, forward.at - pattern.length - forward.distance)
  const backward = minDistance(pattern, text, forward.at - 1, lowest - 1, -1)
  const start = backward.at + 1
  const longer = Math.max(pattern.length, forward.at - start)
  return { start, end: forward.at, similarity: 1 - forward.distance / longer }
}

/**
 * Smallest edit distance of the pattern to a window that begins anywhere and ends before `at`. It walks from `from`
 * to `until` in steps of 1, or of -1 with the pattern reversed. Of equal windows the first wins.
 */
function minDistance(
  pattern: string,
  text: string,
  from: number,
  until: number,
  step: 1 | -1,
): { readonly at: number; readonly distance: number } {
  const length = pattern.length
  const blocks = Math.ceil(length / 32)
  const matches = matchMasks(pattern, step)
  const none = new Int32Array(blocks)
  const rising = new Int32Array(blocks).fill(-1)
  const falling = new Int32Array(blocks)
  const lastBit = (length - 1) & 31
  let distance = length
  let best = { at: from, distance }
  for (let at = from; at !== until; at += step) {
    const equal = matches.get(text.charCodeAt(at)) ?? none
    let carryUp = 0
    let carryDown = 0
    for (let block = 0; block < blocks; block += 1) {
      const up = rising[block] ?? 0
      const down = falling[block] ?? 0
      const eq = equal[block] ?? 0
      const vertical = eq | down
      const eqCarried = eq | carryDown
      // The sum may carry past bit 31; `| 0` keeps the low 32 bits of what is an exact number below 2^33.
      const horizontal = ((((eqCarried & up) >>> 0) + (up >>> 0)) ^ up) | eqCarried
      let plus = down | ~(horizontal | up)
      let minus = up & horizontal
      if (block === blocks - 1) distance += ((plus >>> lastBit) & 1) - ((minus >>> lastBit) & 1)
      const nextUp = plus >>> 31
      const nextDown = minus >>> 31
      plus = (plus << 1) | carryUp
      minus = (minus << 1) | carryDown
      rising[block] = minus | ~(vertical | plus)
      falling[block] = plus & vertical
      carryUp = nextUp
      carryDown = nextDown
    }
    if (distance < best.distance) best = { at: at + step, distance }
  }
  return best
}

/** For each character of the pattern, a bit mask of its positions. */
function matchMasks(pattern: string, step: 1 | -1): ReadonlyMap<number, Int32Array> {
  const blocks = Math.ceil(pattern.length / 32)
  const masks = new Map<number, Int32Array>()
  for (let i = 0; i < pattern.length; i += 1) {
    const code = pattern.charCodeAt(step === 1 ? i : pattern.length - 1 - i)
    const mask = masks.get(code) ?? new Int32Array(blocks)
    mask[i >> 5] = (mask[i >> 5] ?? 0) | (1 << (i & 31))
    masks.set(code, mask)
  }
  return masks
}
