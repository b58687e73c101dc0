import type { Direction } from './sheet.ts'

/** A part of a text that a word processor lays out in one direction. */
export type ScriptRun = { readonly text: string; readonly direction: Direction }

const rightToLeft = '[\\p{Script=Hebrew}\\p{Script=Arabic}]'
/** Letters of scripts other than Hebrew and Arabic. */
const leftToRight = '(?![\\p{Script=Hebrew}\\p{Script=Arabic}])\\p{L}'

/** For each direction: from its first letter to its last before a letter of the other, with the numbers between. */
const stretches = {
  ltr: new RegExp(`${leftToRight}(?:(?:(?!${rightToLeft}).)*(?:${leftToRight}|\\p{N}))?\\p{M}*`, 'gsu'),
  rtl: new RegExp(`${rightToLeft}(?:(?:(?!${leftToRight}).)*${rightToLeft})?["'״׳]?`, 'gsu'),
}

/**
 * Splits a paragraph of the given direction into runs. A word processor uses its Hebrew font and right-to-left layout
 * for a whole right-to-left run, so text of the other direction needs its own runs. Punctuation between runs belongs
 * to the paragraph.
 */
export function scriptRuns(text: string, paragraph: Direction): readonly ScriptRun[] {
  const other = paragraph === 'rtl' ? 'ltr' : 'rtl'
  const runs: ScriptRun[] = []
  let end = 0
  for (const { 0: stretch, index } of text.matchAll(stretches[other])) {
    runs.push({ text: text.slice(end, index), direction: paragraph }, { text: stretch, direction: other })
    end = index + stretch.length
  }
  return [...runs, { text: text.slice(end), direction: paragraph }].filter((run) => run.text !== '')
}
