import { estimateTokens } from '../tokens.ts'

/**
 * The beginning of a text that has at most `maxTokens` estimated tokens. It ends with a sentence if that keeps at
 * least half of what fits, otherwise with a word.
 */
export function shortened(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text
  const fitting = text.slice(0, lengthWithin(text, maxTokens))
  const sentenceEnd = lastSentenceEnd(fitting)
  if (sentenceEnd * 2 >= fitting.length) return fitting.slice(0, sentenceEnd)
  const word = /\s\S*$/.exec(fitting)
  return word && word.index > 0 ? fitting.slice(0, word.index).trimEnd() : fitting
}

/** Where the last whole sentence ends; 0 if there is none. */
function lastSentenceEnd(text: string): number {
  let end = 0
  for (const { index, 0: mark } of text.matchAll(/[.!?׃][”"'’)]*(?=\s)/gu)) end = index + mark.length
  return end
}

/** The number of UTF-16 units that fit, found by halving; it never splits a surrogate pair. */
function lengthWithin(text: string, maxTokens: number): number {
  let [fits, tooLong] = [0, text.length]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (estimateTokens(text.slice(0, middle)) <= maxTokens) fits = middle
    else tooLong = middle
  }
  return /[\ud800-\udbff]$/.test(text.slice(0, fits)) ? fits - 1 : fits
}
