import { chapterIn } from '../grammar/hebrew-refs.ts'
import { hasUnitRole } from '../grammar/units.ts'
import { type AddressRun, isMarked, mayEndClause } from './addresses.ts'
import { bare, gapBefore, type TextWord } from './text-words.ts'

/** The address after a title as its writer meant it, where no library tells which of its numbers belong to it. */
export type WrittenAddress = {
  /** Index after its last word. */
  readonly to: number
  /** UTF-16 offset of its end. */
  readonly end: number
  /** Number of its numbers, a range counted once. The side of a leaf counts. */
  readonly levels: number
  /** Whether it names a leaf with its side: `5a`, `ה ע"א`. */
  readonly hasSide: boolean
}

/** Characters after which a clause continues elsewhere. */
const closing = /^(?:\s*$|\.?["”״»*_]{0,2}\s?[)\]},;:?!׃]|\.?["”»](?:\s|$)|\.(?:\s|$)|\s?[–—]|\s*\n)/u

/** Whether a clause ends at an offset. */
export function endsClause(text: string, at: number): boolean {
  return closing.test(text.slice(at, at + 6))
}

const side = /^ע"[אב]$/

/**
 * Reads the address of a run. Of numbers that only a space or comma separates (`ב, טז`), a second one in Hebrew
 * letters belongs to it if the clause ends there and no third one follows.
 */
export function writtenAddress(text: string, words: readonly TextWord[], run: AddressRun): WrittenAddress {
  const { numberEnds } = run
  const sure = run.ends.at(-1) ?? run.from + 1
  const [next, ...others] = numberEnds.filter((end) => end > sure)
  const second = next !== undefined && belongs(text, words, next, others) ? next : sure
  const to = second === run.from + 1 && hasMishnah(text, words, second) ? second + 1 : second
  const end = words[to - 1]?.end ?? 0
  const inside = [...numberEnds.filter((one) => one <= second), ...(to > second ? [to] : [])]
  const ranges = inside.slice(0, -1).filter((one) => /[-–—־]/.test(gapBefore(text, words, one)))
  const last = bare(words[to - 1])
  return {
    to,
    end,
    levels: inside.length - ranges.length,
    hasSide: side.test(last) || /^\d{1,4}[a-d]$/i.test(last) || isSideOfLeaf(words, to),
  }
}

function belongs(text: string, words: readonly TextWord[], next: number, others: readonly number[]): boolean {
  const written = bare(words[next - 1])
  if (side.test(written)) return true
  if (others.length > 0 || !/^[א-ת]/.test(written)) return false
  return isMarked(written) || (endsClause(text, words[next - 1]?.end ?? 0) && !mayEndClause(written))
}

/** Matches a mishnah that is joined to its unit in one word, as after `פ"ב`: `מט"ז`, `מ"ג`. */
const gluedMishnah = /^מ(?:[א-ת]{0,2}"[א-ת]|[א-ת]')$/

function hasMishnah(text: string, words: readonly TextWord[], at: number): boolean {
  return (
    chapterIn(bare(words[at - 1])) !== undefined &&
    gluedMishnah.test(bare(words[at])) &&
    /^,? $/.test(gapBefore(text, words, at))
  )
}

/** `עמוד א` after a number. */
function isSideOfLeaf(words: readonly TextWord[], to: number): boolean {
  return hasUnitRole(bare(words[to - 2]), 'page') && /^[אב]'?$/.test(bare(words[to - 1]))
}
