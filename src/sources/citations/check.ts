import type { NumberedSource } from './attribution/cited-marks.ts'
import { type NamedRef, type RefCheck, toRefChecks, type VerifyLookups } from './attribution/named-refs.ts'
import type { QuoteCheck } from './comparison/quote-check.ts'
import { Doc } from './quotations/doc.ts'
import { withToolTexts } from './repeated-words.ts'
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
  /** Refs that the library does not hold, as they would be asked of the publisher. */
  readonly unheld: readonly string[]
}

/** An answer, with the user's message. `cited` are the renderer's sources. */
export type AnswerToCheck = {
  readonly text: string
  readonly cited: readonly NumberedSource[]
  readonly question: string
  /** Results of tools that are not ours, as the model got them. Default: none. */
  readonly toolResults?: readonly string[]
}

/** The result for an answer and its question, without the texts of its sources, so that it is small between threads. */
export type AnswerChecks = Omit<CheckedAnswer, 'sources'> & {
  /** The checks of each cited source, in their order. */
  readonly verifications: readonly (readonly QuoteCheck[])[]
  /** The quotations of the question, see `checkQuestion`. */
  readonly asked: readonly VerifiedQuote[]
}

/**
 * Checks an answer and the quotations of its question.
 * @param enough called before each quotation. If it returns true, this one and all after it stay unchecked.
 * @throws errors of the look-ups.
 */
export async function checkAnswer(
  { text, cited, question, toolResults = [] }: AnswerToCheck,
  lookups: VerifyLookups,
  enough?: () => boolean,
): Promise<AnswerChecks> {
  const { sources, ...checked } = await checkCitations({ text, cited, lookups, ...(enough && { enough }) })
  const { quotes, unheld } = await checkQuestion(question, lookups, enough)
  return {
    ...checked,
    quotations: withToolTexts(checked.quotations, toolResults),
    verifications: sources.map(({ verification }) => verification),
    asked: quotes,
    unheld: [...new Set([...checked.unheld, ...unheld])],
  }
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
  readonly enough?: () => boolean
}): Promise<CheckedAnswer> {
  const offered = input.cited.map(({ source }) => source)
  const { quotes, refs, ownRefs } = await checkText(input.text, input.lookups, {
    offered,
    ...(input.enough && { enough: input.enough }),
  })
  const numbered = quotes.map(({ check, marked }, i) => ({ marked, check: { ...check, position: i + 1 } }))
  const bySource = Map.groupBy(numbered, ({ marked }) => marked)
  return {
    sources: input.cited.map(({ source, n }) => {
      const checks = bySource.get(source)?.map(({ check }) => withoutRef(check)) ?? []
      return { source, n, verification: checks.length === 0 ? [{ result: 'paraphrase' }] : checks }
    }),
    quotations: (bySource.get(undefined) ?? []).map(({ check }) => check),
    refs: toRefChecks(ownRefs),
    unheld: unheldIn(refs),
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
  enough?: () => boolean,
): Promise<{ readonly quotes: readonly VerifiedQuote[]; readonly unheld: readonly string[] }> {
  if (!new Doc(question).mayQuote) return { quotes: [], unheld: [] }
  const text = question.slice(0, longestQuestion)
  const { quotes, refs } = await checkText(text, lookups, {
    maxLookups: questionLookups,
    ...(enough && { enough }),
  })
  const known = quotes.flatMap(({ check }) => ((check.ref ?? check.found_ref) === undefined ? [] : [check]))
  return { quotes: known, unheld: unheldIn(refs) }
}

/** Maximum number of refs of a text that are asked of the publisher. */
const maxAsked = 3

function unheldIn(refs: readonly NamedRef[]): readonly string[] {
  const unheld = refs.filter(({ outcome }) => outcome === 'missing' || outcome === 'unknown_work')
  return [...new Set(unheld.map(({ asked }) => asked))].slice(0, maxAsked)
}

/** The ref is that of the source, so an entry does not repeat it. */
function withoutRef({ ref: _, ...check }: VerifiedQuote): QuoteCheck {
  return check
}
