import { isUnit } from '../grammar/units.ts'
import { gapBefore, type TextWord } from './text-words.ts'

const otherPlaces = new Set('entry passage place ערכ מקומ פרשה'.split(' '))

function isPlaceWord(key = ''): boolean {
  return isUnit(key) || otherPlaces.has(key)
}

/** Words that lead from `there` to a quotation: `It says there: “…”`, `ושם נאמר: "…"`. */
const leadsOn =
  /^(?: (?:נאמר|כתוב|כתב|מבואר|מובא|איתא|אומר|הוא))?(?: (?:that|ש))?\s*[:,]\s*[*_]{0,2}["“”„«‘'״]/u

/**
 * The end of words that mean the ref before them, from a word: `loc. cit.`, `the same chapter`, `באותו פרק`, and `there`
 * or `שם` before a quotation. Undefined for other words.
 */
export function endOfSamePlace(
  { text, words }: { readonly text: string; readonly words: readonly TextWord[] },
  at: number,
): number | undefined {
  const [word, next] = [words[at], words[at + 1]]
  if (!word) return undefined
  const isBracketed = /[([]\s?$/.test(text.slice(Math.max(0, word.start - 2), word.start))
  if (/^(?:op|loc)$/.test(word.key) && next?.key === 'cit') return at + 2
  if (word.key === 'idem') return isBracketed ? at + 1 : undefined
  if (/^[ומש]?באות[וה]$/.test(word.key) || (word.key === 'same' && words[at - 1]?.key === 'the'))
    return gapBefore(text, words, at + 1) === ' ' && isPlaceWord(next?.key) ? at + 2 : undefined
  if (/^(?:there|ו?שמ)$/.test(word.key))
    return leadsOn.test(text.slice(word.end, word.end + 40)) ? at + 1 : undefined
  return undefined
}
