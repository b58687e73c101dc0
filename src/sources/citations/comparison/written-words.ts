import { medial } from '../../text/fold.ts'
import type { Span } from '../quotations/prepare.ts'

/** A word of a passage: its letters folded, without apostrophes and gershayim. */
export type WrittenWord = { readonly letters: string } & Span

/** The words of a text. Their ranges count from `offset`. */
export function wordsIn(text: string, offset: number): readonly WrittenWord[] {
  return [...text.matchAll(/[\p{L}\p{M}][\p{L}\p{M}'’׳"״]*/gu)].map(({ 0: written, index }) => ({
    letters: medial(
      written
        .normalize('NFKD')
        .replace(/[\p{M}]/gu, '')
        .replace(/['’]/g, '')
        .toLowerCase(),
    ),
    start: offset + index,
    end: offset + index + written.length,
  }))
}
