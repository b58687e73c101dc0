import { fold } from '../../text/fold.ts'
import type { Quotation } from '../quotations/quotes.ts'
import type { ComparedPassage } from './stretch.ts'

/** Whether the words in quotation marks are the name, or part of the name, of one of these passages. */
export function isNameOf(quotation: Quotation, passages: readonly ComparedPassage[]): boolean {
  const words = ` ${quotation.prepared.folded} `
  return passages.some(({ ref, heRef, title, work }) =>
    [ref, heRef, title, work].some((name) => ` ${fold(name ?? '').folded} `.includes(words)),
  )
}
