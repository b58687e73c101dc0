import type { Quotation } from '../quotations/quotes.ts'
import { isCitedFrom, unheldVerses } from './cited-verse.ts'
import { type ClaimedWork, isOfWork, standsInWork } from './claimed-work.ts'
import { findNearestMatch, type NearestMatch, type SearchState } from './nearest-match.ts'
import type { QuoteCheck } from './quote-check.ts'
import { type Budget, defaultSteps } from './similarity.ts'
import { type ComparedPassage, isNameOf, ownPassages, type Stretch } from './stretch.ts'

export type { ComparedPassage, Stretch } from './stretch.ts'

/** A ref that the text names for a quotation. A ref that does not exist has no stretches. */
export type NamedPlace = { readonly ref: string; readonly stretches: readonly Stretch[] }

/** Where a text says that a quotation comes from. */
export type Attribution = {
  /** The passages of the marks next to the quotation. */
  readonly marked: readonly ComparedPassage[]
  /** The refs that its sentence names. One of them must contain the quotation. */
  readonly named: readonly NamedPlace[]
  /** Refs elsewhere in the paragraph. They are searched first, but the quotation may stand elsewhere. */
  readonly hinted: readonly NamedPlace[]
  /** Only if there is neither a mark nor a ref. */
  readonly work?: ClaimedWork
}

/** The queries that checking quotations sends to the library. */
export type QuoteLookups = {
  /** Finds stretches that may contain a wording, exactly or closely, best first. */
  readonly candidates: (words: string) => Promise<readonly Stretch[]>
  /** Reads all versions of an existing ref, each with one more passage on either side. */
  readonly stretches: (ref: string) => Promise<readonly Stretch[]>
}

/** Maximum number of library searches per text. An answer with more misplaced quotations needs no further proof. */
const usualLookups = 100

/** A check with its passage and ref. Both are undefined for a quotation that is attributed to nothing. */
export type QuoteVerdict = {
  readonly check: QuoteCheck
  readonly passage?: ComparedPassage
  readonly ref?: string
}

/** One claim about a quotation: that one of these stretches contains it. */
type Claim = {
  readonly ref: string
  readonly stretches: readonly Stretch[]
  readonly found: NearestMatch | undefined
}

/** Compares the quotations of one text. It caches folded texts and applies the work limits to the whole text. */
export class QuoteChecker {
  readonly #others: readonly ComparedPassage[]
  readonly #lookups: QuoteLookups | undefined
  readonly #state: SearchState
  readonly #joined = new Map<string, Stretch>()
  readonly #wider = new Map<ComparedPassage, Promise<readonly Stretch[]>>()
  #lookupsLeft: number

  /**
   * @param others passages that are searched before the library.
   * @param maxLookups maximum number of library searches. Quotations that need more are `not_found`.
   */
  constructor(others: readonly ComparedPassage[], lookups?: QuoteLookups, maxLookups = usualLookups) {
    const budget: Budget = { left: (defaultSteps * maxLookups) / usualLookups }
    this.#others = others
    this.#lookups = lookups
    this.#lookupsLeft = maxLookups
    this.#state = { budget, prepared: new Map() }
  }

  /** @returns undefined when the quoted words are the title of the source they are attributed to. */
  async check(quotation: Quotation, attribution: Attribution): Promise<QuoteVerdict | undefined> {
    const marked = [...new Set(attribution.marked)]
    if (isNameOf(quotation, marked)) return undefined
    const claims: Claim[] = []
    if (marked.length > 0) claims.push(await this.#inMarked(quotation, marked))
    if (attribution.named.length > 0) claims.push(await this.#inNamed(quotation, attribution.named))
    if (claims.length === 0) return this.#anywhere(quotation, attribution)
    const quoted = marked.length === 0 ? await this.#quotedFrom(quotation, attribution.named) : undefined
    if (quoted !== undefined) return quoted
    const judged = await this.#judge(quotation, claims)
    const passage = marked.find((one) => one === judged.finding?.place.first) ?? marked[0]
    return { check: judged.check, ref: judged.ref, ...(passage && { passage }) }
  }

  async #judge(
    quotation: Quotation,
    claims: readonly Claim[],
  ): Promise<{ check: QuoteCheck; ref: string; finding?: NearestMatch }> {
    const quote = quotation.text
    const [first] = claims
    const found = claims.map((claim) => claim.found).filter((finding) => finding?.isNear)
    const failed = claims.find((claim) => !claim.found?.isNear)
    const finding = found.find((one) => one?.result === 'verbatim') ?? found[0]
    if (finding !== undefined && failed === undefined) {
      const elsewhere = finding.result === 'fuzzy' ? await this.#verbatimElsewhere(quotation) : undefined
      return { check: { quote, ...finding.check, ...foundRef(elsewhere) }, ref: finding.ref, finding }
    }
    const elsewhere = finding ?? (await this.#elsewhere(quotation))
    const ref = failed?.ref ?? first?.ref ?? ''
    if (elsewhere === undefined) {
      const similarity = failed?.found?.similarity
      return { check: { quote, result: 'not_found', ...(similarity !== undefined && { similarity }) }, ref }
    }
    // These offsets belong to the other passage or version; clients would apply them to the cited one.
    const { start: _, end: __, ...there } = elsewhere.check
    if (failed !== undefined && standsIn(elsewhere, failed.stretches)) {
      const { version } = elsewhere.place.first
      return {
        check: { quote, ...there, found_ref: elsewhere.ref, ...(version && { found_version: version }) },
        ref,
      }
    }
    const isOther = failed !== undefined && failed !== first
    const check = { quote, ...there, result: 'misattributed' as const, found_ref: elsewhere.ref }
    return { check: { ...check, ...(isOther && { named_ref: ref }) }, ref, ...(finding && { finding }) }
  }

  /** Searches the cited passages, alone and joined, and then together with their neighbours in the library. */
  async #inMarked(quotation: Quotation, marked: readonly ComparedPassage[]): Promise<Claim> {
    const ref = marked[0]?.ref ?? ''
    const alone = marked.map((passage) => this.#join([passage]))
    const stretches = marked.length > 1 ? [...alone, this.#join(marked)] : alone
    const found = await findNearestMatch(quotation, stretches, this.#state)
    if (found?.isNear && found.result === 'verbatim') return { ref, stretches, found }
    const wider = (await Promise.all(marked.map((passage) => this.#widerThan(passage)))).flat()
    const overEdge = wider.length > 0 ? await findNearestMatch(quotation, wider, this.#state) : undefined
    const better = overEdge?.isNear && overEdge.similarity > (found?.similarity ?? 0) ? overEdge : found
    return { ref, stretches, found: better }
  }

  /** Returns the same object for the same passages, so that they are folded once. */
  #join(passages: readonly ComparedPassage[]): Stretch {
    const key = passages
      .map(({ mark, ref, language, version }) => [mark, ref, language, version].join(' '))
      .join('|')
    const made = this.#joined.get(key) ?? { passages }
    this.#joined.set(key, made)
    return made
  }

  #widerThan(passage: ComparedPassage): Promise<readonly Stretch[]> {
    const made = this.#wider.get(passage) ?? this.#withNeighbours(passage)
    this.#wider.set(passage, made)
    return made
  }

  async #withNeighbours(passage: ComparedPassage): Promise<readonly Stretch[]> {
    if (this.#lookups === undefined) return []
    const versions = await this.#lookups.stretches(passage.ref)
    return versions.flatMap((stretch) => {
      const at = stretch.passages.findIndex(({ ref, text }) => ref === passage.ref && text === passage.text)
      if (at < 0) return []
      const passages = stretch.passages.map((one, i) => (i === at ? passage : one))
      return [{ passages, own: { first: at, last: at } }]
    })
  }

  async #inNamed(quotation: Quotation, named: readonly NamedPlace[]): Promise<Claim> {
    const stretches = named.flatMap((place) => place.stretches)
    return {
      ref: named[0]?.ref ?? '',
      stretches,
      found: await findNearestMatch(quotation, stretches, this.#state),
    }
  }

  /** Searches the whole library for a quotation that is attributed to no place, but perhaps to a work. */
  async #anywhere(quotation: Quotation, { hinted, work }: Attribution): Promise<QuoteVerdict> {
    const quote = quotation.text
    const stretches = hinted.flatMap((place) => place.stretches)
    const near = await findNearestMatch(quotation, stretches, this.#state)
    if (near?.isNear && (work === undefined || standsInWork(near, work)))
      return { check: { quote, ...near.check }, ref: near.ref }
    const found = await this.#elsewhere(quotation, work)
    const ref = work && { ref: work.parts[0] ?? work.held[0] ?? work.written }
    if (found === undefined) return { check: { quote, result: 'not_found' }, ...ref }
    if (work === undefined || standsInWork(found, work))
      return { check: { quote, ...found.check, found_ref: found.ref } }
    // These offsets belong to a passage of another work.
    const { start: _, end: __, ...there } = found.check
    return { check: { quote, ...there, result: 'misattributed', found_ref: found.ref }, ...ref }
  }

  /** Finds a passage that quotes the words from a verse that the text names and the library does not hold. */
  async #quotedFrom(quotation: Quotation, named: readonly NamedPlace[]): Promise<QuoteVerdict | undefined> {
    const verses = unheldVerses(named)
    if (verses.length === 0 || this.#lookups === undefined || this.#lookupsLeft <= 0) return undefined
    this.#lookupsLeft -= 1
    for (const stretch of await this.#lookups.candidates(quotation.text)) {
      const state = { ...this.#state, prepared: new Map() }
      const found = await findNearestMatch(quotation, [stretch], state, 'verbatim')
      if (found === undefined || !isCitedFrom(verses, found)) continue
      // These offsets belong to the passage that quotes the verse.
      const { start: _, end: __, ...there } = found.check
      const check = { quote: quotation.text, ...there, found_ref: found.ref }
      return { check, ref: named[0]?.ref ?? '' }
    }
    return undefined
  }

  async #verbatimElsewhere(quotation: Quotation): Promise<NearestMatch | undefined> {
    const found = await this.#elsewhere(quotation)
    return found?.result === 'verbatim' ? found : undefined
  }

  /**
   * Searches elsewhere: for the exact words in the passages at hand, then in the library, exactly or closely.
   * @param work its passages come first.
   */
  async #elsewhere(quotation: Quotation, work?: ClaimedWork): Promise<NearestMatch | undefined> {
    const others = this.#others.map((passage) => this.#join([passage]))
    const other = await findNearestMatch(quotation, others, this.#state, 'verbatim')
    const isEnough = other !== undefined && (work === undefined || standsInWork(other, work))
    if (isEnough || this.#lookups === undefined || this.#lookupsLeft <= 0) return other
    this.#lookupsLeft -= 1
    const candidates = await this.#lookups.candidates(quotation.text)
    const own = work === undefined ? [] : candidates.filter((stretch) => isOfWork(stretch, work))
    // Not cached: each quotation has other candidates, and 500 of them would use too much memory.
    const inWork = await findNearestMatch(quotation, own, { ...this.#state, prepared: new Map() })
    if (inWork?.isNear) return inWork
    const found = await findNearestMatch(quotation, candidates, { ...this.#state, prepared: new Map() })
    return found?.isNear ? found : other
  }
}

/** Whether the finding is another version of the same passages. */
function standsIn({ place }: NearestMatch, stretches: readonly Stretch[]): boolean {
  const refs = new Set(stretches.flatMap(ownPassages).map(({ ref }) => ref))
  return refs.has(place.first.ref) || refs.has(place.last.ref)
}

function foundRef(finding: NearestMatch | undefined): { found_ref?: string } {
  return finding === undefined ? {} : { found_ref: finding.ref }
}
