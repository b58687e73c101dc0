import type { OfferedSource } from '../../agent/tools.ts'
import { fold } from '../fold.ts'
import {
  type Located,
  locateFuzzy,
  locateVerbatim,
  type Prepared,
  type PreparedQuote,
  prepareText,
} from './locate.ts'
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

/** Look-ups for one text; an answer with more quotations that are not where they should be needs no further proof. */
const mostLookups = 100

/** A check and the passage it belongs to. */
export type Judged = { readonly check: QuoteCheck; readonly passage: Passage }

/** Compares the quotations of one text: what was folded once is kept, and the limits on work are for the whole. */
export class Checker {
  readonly #others: readonly Passage[]
  readonly #findVerbatim: FindVerbatim | undefined
  readonly #prepared = new Map<string, Prepared>()
  readonly #names = new Map<Passage, string>()
  readonly #budget: Budget = { left: defaultSteps }
  #lookups = 0

  /** @param others passages at hand, searched before the library is. */
  constructor(others: readonly Passage[], findVerbatim?: FindVerbatim) {
    this.#others = others
    this.#findVerbatim = findVerbatim
  }

  /**
   * @param passages what the quotation is attributed to; the check belongs to the one it fits best.
   * @returns undefined without passages, and for the title of one in quotation marks.
   */
  async check(quotation: Quotation, passages: readonly Passage[]): Promise<Judged | undefined> {
    const own = [...new Set(passages)]
    const [first] = own
    const quote = quotation.text
    const words = ` ${quotation.prepared.folded} `
    if (first === undefined || own.some((passage) => this.#namesOf(passage).includes(words))) return undefined
    const exact = await bestOf(own, async (passage) =>
      locateVerbatim(quotation.prepared, this.#prepare(passage.text)),
    )
    if (exact) return { passage: exact.passage, check: { quote, ...exact.place } }
    const { best, ...similarity } = await this.#nearWording(quotation, own)
    const foundRef = await this.#findElsewhere(quotation, own)
    const found = foundRef === undefined ? {} : { found_ref: foundRef }
    if (best) return { passage: best.passage, check: { quote, ...best.place, ...found } }
    const elsewhere = foundRef !== undefined && !own.some((passage) => passage.ref === foundRef)
    const result = elsewhere ? 'misattributed' : 'not_found'
    return { passage: first, check: { quote, result, ...similarity, ...found } }
  }

  #prepare(text: string): Prepared {
    const made = this.#prepared.get(text) ?? prepareText(text)
    this.#prepared.set(text, made)
    return made
  }

  /** All names of a passage, folded. */
  #namesOf(passage: Passage): string {
    const names = [passage.ref, passage.heRef, passage.title, passage.work]
    const made = this.#names.get(passage) ?? names.map((name) => ` ${fold(name ?? '').folded} `).join('|')
    this.#names.set(passage, made)
    return made
  }

  async #nearWording(
    quotation: Quotation,
    own: readonly Passage[],
  ): Promise<{ best: Placed | undefined; similarity?: number }> {
    let similarity: number | undefined
    const best = await bestOf(own, async (passage) => {
      const place = await locateFuzzy(quotation.prepared, this.#prepare(passage.text), this.#budget)
      if (place.similarity !== undefined) similarity = Math.max(similarity ?? 0, place.similarity)
      return place.result === 'none' ? undefined : place
    })
    return { best, ...(similarity !== undefined && { similarity }) }
  }

  /** With ellipses the longest part is looked up, and the passage counts only if its text bears out the whole. */
  async #findElsewhere(quotation: Quotation, own: readonly Passage[]): Promise<string | undefined> {
    const quote = quotation.prepared
    const other = this.#others.find(
      (passage) => !own.includes(passage) && locateVerbatim(quote, this.#prepare(passage.text)),
    )
    if (other !== undefined) return other.ref
    if (this.#findVerbatim === undefined || this.#lookups >= mostLookups) return undefined
    this.#lookups += 1
    const found = await this.#findVerbatim(longestPart(quote))
    if (found === undefined || quote.parts.length <= 1) return found?.ref
    return found.text !== undefined && locateVerbatim(quote, prepareText(found.text)) ? found.ref : undefined
  }
}

type Placed = { readonly passage: Passage; readonly place: Located }

async function bestOf(
  passages: readonly Passage[],
  locate: (passage: Passage) => Promise<Located | undefined>,
): Promise<Placed | undefined> {
  let best: Placed | undefined
  for (const passage of passages) {
    const place = await locate(passage)
    if (place !== undefined && place.similarity > (best?.place.similarity ?? 0)) best = { passage, place }
  }
  return best
}

/** The part of a quotation by which the library is searched. */
export function longestPart({ parts, folded }: PreparedQuote): string {
  const [first = folded, ...more] = parts
  return more.reduce((longer, part) => (part.length > longer.length ? part : longer), first)
}
