/**
 * One difference between a quotation and the text, in the words of each. A side is empty if it has no words there.
 */
export type Difference = {
  readonly kind: 'abbreviation' | 'changed' | 'left_out' | 'added'
  readonly quote: string
  readonly text: string
}

/** The wording of a place that is most similar to a quotation it does not have. `differences` lead from one to the other. */
export type NearestWording = {
  readonly ref: string
  readonly original: string
  readonly differences: readonly Difference[]
}

/**
 * The result of comparing one quotation with the place it is attributed to, after folding (see `prepareText`):
 * - `verbatim`: the place has it in one piece;
 * - `edited`: the place has its words in order, but the quotation leaves words out by an ellipsis, has words in square
 * brackets that the place does not have, leaves out words in brackets, or lacks the Hebrew prefix of a first word.
 * `differences` has these words;
 * - `fuzzy`: one contiguous window, or each part in order, has a character similarity of at least 0.85; an
 * abbreviation counts as the words it stands for;
 * - `translation`: the library has the place only in the language of another script, so the words were not compared;
 * - `misattributed`: the place does not have it, but `found_ref` has it, exactly, edited or closely;
 * - `from_tool`: it repeats a result of a tool that is not ours, and is not compared with the library;
 * - `not_found`: none of these;
 * - `paraphrase`: the source is cited, and no quotation of it was compared.
 */
export type QuoteResult =
  | 'verbatim'
  | 'edited'
  | 'fuzzy'
  | 'translation'
  | 'misattributed'
  | 'from_tool'
  | 'not_found'
  | 'paraphrase'

export type QuoteCheck = {
  /** The quotation as written in the answer, without marks. */
  readonly quote?: string
  readonly result: QuoteResult
  /** The text of the passage at the quotation, with vowel points and punctuation. Parts are joined by ` … `. */
  readonly original?: string
  /**
   * Range of `original` in the passage, in UTF-16 units; `end` is exclusive. If it runs over several passages: its
   * range in the first. Absent if another passage or version has it.
   */
  readonly start?: number
  readonly end?: number
  /** From 0 to 1. For `not_found` that of the most similar window; absent when it was too costly to compute. */
  readonly similarity?: number
  /**
   * Another ref that has the quotation when the cited one does not, or not exactly. It equals the cited ref if
   * another version of it has the words. For a quotation attributed to nothing it is the only ref.
   */
  readonly found_ref?: string
  /** The version that has the quotation when the cited version of the same place does not: a translation, for example. */
  readonly found_version?: string
  /** In order. Present for `edited` and `fuzzy`, and for a `misattributed` quotation that is not word for word. */
  readonly differences?: readonly Difference[]
  /** Only for `not_found`: the nearest wording at the place it is attributed to. Absent if nothing there is similar. */
  readonly nearest?: NearestWording
  /** Number of words of the passage that the ellipses of the quotation leave out. Absent without an ellipsis. */
  readonly omitted_words?: number
  /** The ref that the text names in words, if it differs from the passage of the mark. */
  readonly named_ref?: string
  /** Only in answers: number of the quotation in the whole answer, from 1. Checks are grouped by source. */
  readonly position?: number
}
