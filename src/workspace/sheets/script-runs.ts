import type { Direction } from './sheet.ts'

/** A stretch of text that a word processor sets in one direction. */
export type ScriptRun = { readonly text: string; readonly direction: Direction }

const rightToLeft = '[\\p{Script=Hebrew}\\p{Script=Arabic}]'
/** Letters of the other scripts. */
const leftToRight = '(?![\\p{Script=Hebrew}\\p{Script=Arabic}])\\p{L}'

/** From the first letter of a direction to the last before one of the other, with the numbers that belong to it. */
const stretches = {
  ltr: new RegExp(`${leftToRight}(?:(?:(?!${rightToLeft}).)*(?:${leftToRight}|\\p{N}))?\\p{M}*`, 'gsu'),
  rtl: new RegExp(`${rightToLeft}(?:(?:(?!${leftToRight}).)*${rightToLeft})?["'״׳]?`, 'gsu'),
}

/**
 * Cuts a paragraph of the given direction into runs. A word processor sets all of a right-to-left run in its font for
 * Hebrew and lays it out from the right, whatever its letters are, so words of the other direction need runs of their
 * own; punctuation between them belongs to the paragraph.
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
