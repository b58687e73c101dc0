import type { ComparedPlace } from './nearest-match.ts'

/**
 * Where places were looked for, in this order: under the marks of the quotation, in other versions of these passages, at
 * the refs of its sentence, at a ref elsewhere in its paragraph, under the other marks of the text, in the work that it
 * names, in the whole library.
 */
export type SearchedIn =
  | 'marks'
  | 'other_versions'
  | 'named_refs'
  | 'paragraph'
  | 'other_marks'
  | 'named_work'
  | 'library'

export type Comparison = { readonly searched: SearchedIn; readonly compared: readonly ComparedPlace[] }

/** The rule that gave a verdict. */
export type VerdictRule =
  | 'at_its_place'
  | 'in_another_version'
  | 'cited_by_a_passage'
  | 'elsewhere'
  | 'place_without_the_words'
  | 'named_place_differs'
  | 'other_script'
  | 'beside_its_original'
  | 'nothing_similar'

/** Why a quotation has its verdict. */
export type Explanation = { readonly rule: VerdictRule; readonly comparisons: readonly Comparison[] }
