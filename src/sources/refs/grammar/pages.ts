import { hebrewNumber } from '../../text/hebrew-numbers.ts'
import { itemAt, type Words } from './ref-items.ts'
import { gapBefore, wordsOf } from './text-words.ts'
import { hasUnitRole } from './units.ts'

/**
 * Whether a ref names a page. The library stores no pages, and page 41 of a book is not its chapter 41. The side of a
 * leaf is no page: `דף ב עמוד א`, `p. 12a`.
 */
export function isPageRef(written: string): boolean {
  const read = { text: written, words: wordsOf(written) }
  return read.words.some(({ key, text }, at) => {
    if (!hasUnitRole(key, 'page') && !hasUnitRole(text, 'page')) return false
    const item = itemAt(read, at, 'plain')
    if (item?.unit !== 'page' || /[a-d]$/.test(item.value)) return false
    if (item.side !== undefined && itemAt(read, at - 1, 'plain') !== undefined) return false
    // Hebrew titles may end with the word too: `ארבעה עמודים ב׳ ד` is 2d of that book.
    const behind = gapBefore(written, read.words, item.end)
    return !/^[א-ת]/.test(key) || item.end === read.words.length || /[-–—־]/.test(behind)
  })
}

/**
 * A ref without the page, leaf or side behind its number: `Tanya, ch. 32` of `Tanya, ch. 32, p. 41a` and of `Tanya, ch. 32a`.
 * Undefined for other refs.
 */
export function withoutPage(written: string): string | undefined {
  const read = { text: written, words: wordsOf(written) }
  const at = read.words.findIndex(
    ({ key, text }) => hasUnitRole(key, 'page') || hasUnitRole(text, 'page') || hasUnitRole(key, 'leaf'),
  )
  const isNumbered = [at - 1, at - 2].some((from) => itemAt(read, from, 'joined')?.end === at)
  return at > 1 && isNumbered ? written.slice(0, read.words[at - 1]?.end) : withoutSide(read)
}

/** A ref up to its chapter, if a side is behind that: only leaves have sides. */
function withoutSide(read: Words): string | undefined {
  for (const at of read.words.keys()) {
    const item = itemAt(read, at, 'joined')
    if (item?.unit !== 'chapter') continue
    const end = read.words[item.end - 1]?.end ?? 0
    if (/[a-d]$/.test(item.value)) return read.text.slice(0, end - 1)
    return itemAt(read, item.end, 'plain')?.isSide ? read.text.slice(0, end) : undefined
  }
  return undefined
}

/** Years of the Jewish calendar by which collections of talks are divided: 5000 to 5999. */
const latinYear = /(?<![\d:.])5\d{3}(?!\d)/
/** Matches `תרל"א` and `ה'תרל"א`, the thousands usually left out. */
const hebrewYear = /(?<![א-ת])(?:ה['׳])?(ת[א-ת]{0,3}["״][א-ת])(?![א-ת])/gu

/** Whether a word is a year: `5631`, `תרל"א`. */
export function isYear(word: string): boolean {
  return /^5\d{3}$/.test(word) || yearsIn(word).includes(word.replace(/^ה['׳]/, ''))
}

/** Whether a ref has a year. */
export function namesYear(ref: string): boolean {
  return latinYear.test(ref) || yearsIn(ref).length > 0
}

function yearsIn(text: string): readonly string[] {
  return [...text.matchAll(hebrewYear)].flatMap(({ 1: written = '' }) => {
    const number = hebrewNumber(written.replace('״', '"')) ?? 0
    return number >= 400 && number < 1000 ? [written] : []
  })
}
