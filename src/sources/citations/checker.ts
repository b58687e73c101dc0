import type { OfferedSource } from '../../agent/tools.ts'
import { fold } from '../fold.ts'
import { type Located, locateFuzzy, locateVerbatim, type Prepared, prepareText } from './locate.ts'
import type { Quotation } from './quotes.ts'
import { type Budget, defaultSteps } from './similarity.ts'

/**
 * What comparing one quotation with the passage it is attributed to came to. After folding (see `fold`):
 *
 * - `verbatim`: it stands there in one piece, or its parts between ellipses in their order;
 * - `fuzzy`: one contiguous window, or each part in its order, has a character similarity of at least 0.85;
 * - `misattributed`: neither, but it stands verbatim in the passage `found_ref`;
 * - `not_found`: none of these;
 * - `paraphrase`: the source is cited without a quotation.
 */
export type QuoteCheck = {
  /** The quotation as the answer has it, without its marks. */
  readonly quote?: string
  readonly result: 'verbatim' | 'fuzzy' | 'misattributed' | 'not_found' | 'paraphrase'
  /** The passage's own characters, with points and punctuation; parts joined by ` … `. */
  readonly original?: string
  /** Place of `original` in the passage text, UTF-16 units, `end` exclusive. */
  readonly start?: number
  readonly end?: number
  /** 0 to 1; for `not_found` that of the nearest window, absent where it was too costly to compute. */
  readonly similarity?: number
  /**
   * A passage that has the quotation letter for letter though the one cited has not, or not quite. The cited ref
   * itself stands here if another version of it has the words.
   */
  readonly found_ref?: string
}

/** A passage elsewhere that has the quotation; with its text it can be confirmed and its characters given. */
export type FoundPassage = { readonly ref: string; readonly text?: string }

/** Looks a folded wording up in the whole library as a contiguous run. */
export type FindVerbatim = (folded: string) => Promise<FoundPassage | undefined>

/** What a quotation is compared with. */
export type Passage = Pick<OfferedSource, 'ref' | 'text'> & Partial<OfferedSource>

export type Checker = {
  /** @returns the check and the passage it belongs to; undefined without passages, and for a title in quotes. */
  check(
    quotation: Quotation,
    passages: readonly Passage[],
  ): Promise<{ readonly check: QuoteCheck; readonly passage: Passage } | undefined>
}

/** Look-ups for one text; an answer with more quotations that are not where they should be needs no further proof. */
const mostLookups = 100

/**
 * One checker for one text: what was folded once is kept, and the limits on work are for the whole.
 *
 * @param others passages at hand, searched before the library is.
 */
export function createChecker(others: readonly Passage[], findVerbatim?: FindVerbatim): Checker {
  const prepared = new Map<string, Prepared>()
  const budget: Budget = { left: defaultSteps }
  let lookups = 0

  function prepare(text: string): Prepared {
    const made = prepared.get(text) ?? prepareText(text)
    prepared.set(text, made)
    return made
  }

  async function lookUp(folded: string): Promise<FoundPassage | undefined> {
    if (findVerbatim === undefined || lookups >= mostLookups) return undefined
    lookups += 1
    return findVerbatim(folded)
  }

  /** With ellipses the longest part is looked up, and the passage counts only if its text bears out the whole. */
  async function findElsewhere(quotation: Quotation, own: readonly Passage[]): Promise<string | undefined> {
    const quote = quotation.prepared
    const other = others.find(
      (passage) => !own.includes(passage) && locateVerbatim(quote, prepare(passage.text)),
    )
    if (other !== undefined) return other.ref
    const [first = quote.folded, ...more] = quote.parts
    const longest = more.reduce((longer, part) => (part.length > longer.length ? part : longer), first)
    const found = await lookUp(longest)
    if (found === undefined || more.length === 0) return found?.ref
    return found.text !== undefined && locateVerbatim(quote, prepareText(found.text)) ? found.ref : undefined
  }

  function nearWording(quotation: Quotation, own: readonly Passage[]) {
    let similarity: number | undefined
    const best = bestOf(own, (passage) => {
      const place = locateFuzzy(quotation.prepared, prepare(passage.text), budget)
      if (place.similarity !== undefined) similarity = Math.max(similarity ?? 0, place.similarity)
      return place.result === 'none' ? undefined : place
    })
    return { best, ...(similarity !== undefined && { similarity }) }
  }

  return {
    async check(quotation, passages) {
      const own = [...new Set(passages)]
      const [first] = own
      if (first === undefined || own.some((passage) => isTitle(quotation, passage))) return undefined
      const quote = quotation.text
      const exact = bestOf(own, (passage) => locateVerbatim(quotation.prepared, prepare(passage.text)))
      if (exact) return { passage: exact.passage, check: { quote, ...exact.place } }
      const { best, ...similarity } = nearWording(quotation, own)
      const foundRef = await findElsewhere(quotation, own)
      const found = foundRef === undefined ? {} : { found_ref: foundRef }
      if (best) return { passage: best.passage, check: { quote, ...best.place, ...found } }
      const elsewhere = foundRef !== undefined && !own.some((passage) => passage.ref === foundRef)
      const result = elsewhere ? 'misattributed' : 'not_found'
      return { passage: first, check: { quote, result, ...similarity, ...found } }
    },
  }
}

function bestOf(
  passages: readonly Passage[],
  locate: (passage: Passage) => Located | undefined,
): { readonly passage: Passage; readonly place: Located } | undefined {
  let best: { passage: Passage; place: Located } | undefined
  for (const passage of passages) {
    const place = locate(passage)
    if (place !== undefined && place.similarity > (best?.place.similarity ?? 0)) best = { passage, place }
  }
  return best
}

function isTitle({ prepared }: Quotation, passage: Passage): boolean {
  return [passage.ref, passage.heRef, passage.title, passage.work].some(
    (name) => name !== undefined && ` ${fold(name).folded} `.includes(` ${prepared.folded} `),
  )
}
