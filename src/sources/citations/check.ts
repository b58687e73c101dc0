import { mayHaveQuotations } from './attribution/attribution.ts'
import type { NumberedSource } from './attribution/cited-marks.ts'
import { type RefCheck, toRefChecks, type VerifyLookups } from './attribution/named-refs.ts'
import type { QuoteCheck } from './comparison/quote-check.ts'
import { checkText, type VerifiedQuote } from './verify.ts'

export type { QuoteCheck } from './comparison/quote-check.ts'

/** A cited source with one entry per quotation that belongs to it. */
export type CitedSource = NumberedSource & { readonly verification: readonly QuoteCheck[] }

/** The result of checking an answer. */
export type CheckedAnswer = {
  readonly sources: readonly CitedSource[]
  /** Quotations without a valid mark. They are searched at the refs of their sentences and in the whole library. */
  readonly quotations: readonly VerifiedQuote[]
  /** Refs that the answer names in its own words. Refs within confirmed quotations are left out. */
  readonly refs: readonly RefCheck[]
}

/**
 * Compares the quotations of an answer with the texts that the model received under its marks. A quotation with
 * several marks belongs to the passage that is most similar. Titles in quotation marks are skipped.
 * Time is linear in the text. The search for close wordings stops at a fixed budget, far above any ordinary answer;
 * then a quotation is `not_found` without a similarity.
 * @param input.text the text as the model wrote it (`raw()` of the renderer).
 * @param input.cited the renderer's sources; each is returned with its checks.
 * @param input.lookups without them, only the texts under the marks are compared.
 * @throws errors of the look-ups.
 */
export async function checkCitations(input: {
  readonly text: string
  readonly cited: readonly NumberedSource[]
  readonly lookups?: VerifyLookups
}): Promise<CheckedAnswer> {
  const offered = input.cited.map(({ source }) => source)
  const { quotes, ownRefs } = await checkText(input.text, input.lookups, { offered })
  const numbered = quotes.map(({ check, marked }, i) => ({ marked, check: { ...check, position: i + 1 } }))
  const bySource = Map.groupBy(numbered, ({ marked }) => marked)
  return {
    sources: input.cited.map(({ source, n }) => {
      const checks = bySource.get(source)?.map(({ check }) => withoutRef(check)) ?? []
      return { source, n, verification: checks.length === 0 ? [{ result: 'paraphrase' }] : checks }
    }),
    quotations: (bySource.get(undefined) ?? []).map(({ check }) => check),
    refs: toRefChecks(ownRefs),
  }
}

/** Only this many characters of a question are read, and so many searches made for it. */
const longestQuestion = 20_000
const questionLookups = 20

/**
 * Checks the quotations of the user's question: those that it attributes to a work or a place, and those that the
 * library has. Other words in quotation marks are the user's own.
 * @throws errors of the look-ups.
 */
export async function checkQuestion(
  question: string,
  lookups: VerifyLookups,
): Promise<readonly VerifiedQuote[]> {
  if (!mayHaveQuotations(question)) return []
  const text = question.slice(0, longestQuestion)
  const { quotes } = await checkText(text, lookups, { maxLookups: questionLookups })
  return quotes.flatMap(({ check }) => ((check.ref ?? check.found_ref) === undefined ? [] : [check]))
}

/** The ref is that of the source, so an entry does not repeat it. */
function withoutRef({ ref: _, ...check }: VerifiedQuote): QuoteCheck {
  return check
}
