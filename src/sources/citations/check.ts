import type { Cited } from './attribution/cited-marks.ts'
import { checksOf, type RefCheck, type VerifyLookups } from './attribution/named-refs.ts'
import type { QuoteCheck } from './comparison/quote-check.ts'
import { checkText, type VerifiedQuote } from './verify.ts'

export type { QuoteCheck } from './comparison/quote-check.ts'

/** A cited source with one entry for each quotation that belongs to it. */
export type CitedSource = Cited & { readonly verification: readonly QuoteCheck[] }

/** What checking an answer came to. */
export type CheckedAnswer = {
  readonly sources: readonly CitedSource[]
  /** The quotations without an offered mark, looked for at the refs of their sentences and in the whole library. */
  readonly quotations: readonly VerifiedQuote[]
  /** The refs that the answer names in its own words; not those within confirmed quotations. */
  readonly refs: readonly RefCheck[]
}

/**
 * Checks the quotations of an answer against the very texts that were offered under their marks. The result for a
 * quotation with several marks belongs to the one it fits best; a title in quotation marks is left out.
 *
 * Time grows with the length of the text: near wordings stop being searched after a fixed amount of work (far beyond
 * any ordinary answer), and are `not_found` without a similarity then.
 *
 * @param input.text the text as the model wrote it (`raw()` of the renderer).
 * @param input.cited the renderer's sources; each comes back with its checks.
 * @param input.lookups without them nothing but the offered texts is compared.
 * @throws what the look-ups throw.
 */
export async function checkCitations(input: {
  readonly text: string
  readonly cited: readonly Cited[]
  readonly lookups?: VerifyLookups
}): Promise<CheckedAnswer> {
  const offered = input.cited.map(({ source }) => source)
  const { quotes, ownRefs } = await checkText(input.text, input.lookups, { offered })
  const bySource = Map.groupBy(quotes, ({ marked }) => marked)
  return {
    sources: input.cited.map(({ source, n }) => {
      const checks = bySource.get(source)?.map(({ check }) => withoutRef(check)) ?? []
      return { source, n, verification: checks.length === 0 ? [{ result: 'paraphrase' }] : checks }
    }),
    quotations: (bySource.get(undefined) ?? []).map(({ check }) => check),
    refs: checksOf(ownRefs),
  }
}

/** The source has its own ref. */
function withoutRef({ ref: _, ...check }: VerifiedQuote): QuoteCheck {
  return check
}
