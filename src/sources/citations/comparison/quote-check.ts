import type { ContextWarning } from './context.ts'
import type { Difference } from './differences.ts'

/**
 * What comparing one quotation with the place it is attributed to came to. After folding (see `prepareText`):
 *
 * - `verbatim`: it stands there in one piece, or its parts between ellipses in their order;
 * - `fuzzy`: one contiguous window, or each part in its order, has a character similarity of at least 0.85, where an
 *   abbreviation counts as the words it stands for;
 * - `misattributed`: neither, but it stands, exactly or closely, at `found_ref`;
 * - `not_found`: none of these;
 * - `paraphrase`: the source is cited without a quotation.
 */
export type QuoteCheck = {
  /** The quotation as the answer has it, without its marks. */
  readonly quote?: string
  readonly result: 'verbatim' | 'fuzzy' | 'misattributed' | 'not_found' | 'paraphrase'
  /** The passage's own characters, with points and punctuation; parts joined by ` … `. */
  readonly original?: string
  /**
   * Place of `original` in the passage text, UTF-16 units, `end` exclusive; of what runs over several passages the part
   * in the first.
   */
  readonly start?: number
  readonly end?: number
  /** 0 to 1; for `not_found` that of the nearest window, absent where it was too costly to compute. */
  readonly similarity?: number
  /**
   * A place that has the quotation though the one cited has not, or not quite. The cited ref itself stands here if
   * another version of it has the words. A quotation that is attributed to nothing has only this ref.
   */
  readonly found_ref?: string
  /** What differs from the passage, in order; with `fuzzy`, and with `misattributed` if that is not word for word. */
  readonly differences?: readonly Difference[]
  readonly context_warning?: ContextWarning
  /** The place that the text names in words, where that is not the place of the passage marked. */
  readonly named_ref?: string
}
