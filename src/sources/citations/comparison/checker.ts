import type { Quotation } from '../quotations/quotes.ts'
import { isCitedFrom, unheldVerses } from './cited-verse.ts'
import { isOfWork, standsInWork } from './claimed-work.ts'
import type { Comparison, Explanation, SearchedIn, VerdictRule } from './explanation.ts'
import {
  type ComparedPlace,
  findNearestMatch,
  isNoNearer,
  type NearestMatch,
  type SearchState,
  standsIn,
} from './nearest-match.ts'
import type { QuoteCheck } from './quote-check.ts'
import { type Budget, defaultSteps } from './similarity.ts'
import {
  type Attribution,
  areInOtherScript,
  type ClaimedWork,
  type ComparedPassage,
  isNameOf,
  type NamedPlace,
  type QuoteLookups,
  type Stretch,
} from './stretch.ts'

/** Maximum number of library searches per text. An answer with more misplaced quotations needs no further proof. */
const usualLookups = 100

/** A check with its passage and ref. Both are undefined for a quotation that is attributed to nothing. */
export type QuoteVerdict = {
  readonly check: QuoteCheck
  readonly passage?: ComparedPassage
  readonly ref?: string
  readonly explanation: Explanation
}

/** A verdict before the record of its comparisons is added. */
type Judged = Omit<QuoteVerdict, 'explanation'> & { readonly rule: VerdictRule }

/** One claim about a quotation: that one of these stretches contains it. */
type Claim = {
  readonly ref: string
  readonly stretches: readonly Stretch[]
  readonly found: NearestMatch | undefined
  /** Whether only another version of the passages has it. */
  readonly isOtherVersion?: boolean
  /** Whether marks make the claim. */
  readonly isCited?: boolean
}

/** Compares the quotations of one text. It caches folded texts and applies the work limits to the whole text. */
export class QuoteChecker {
  readonly #others: readonly ComparedPassage[]
  readonly #lookups: QuoteLookups | undefined
  readonly #state: SearchState
  readonly #joined = new Map<string, Stretch>()
  readonly #versions = new Map<ComparedPassage, Promise<readonly Stretch[]>>()
  #comparisons: Comparison[] = []
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
    this.#comparisons = []
    const { rule, ...judged } = await this.#judged(quotation, attribution, marked)
    return { ...judged, explanation: { rule, comparisons: this.#comparisons } }
  }

  async #judged(
    quotation: Quotation,
    attribution: Attribution,
    marked: readonly ComparedPassage[],
  ): Promise<Judged> {
    const claims: Claim[] = []
    if (marked.length > 0) claims.push(await this.#inMarked(quotation, marked))
    if (attribution.named.length > 0) claims.push(this.#inNamed(quotation, attribution.named))
    if (claims.length === 0) return this.#anywhere(quotation, attribution)
    const quoted = marked.length === 0 ? await this.#quotedFrom(quotation, attribution.named) : undefined
    if (quoted !== undefined) return quoted
    const { finding, ...judged } = await this.#judge(quotation, claims)
    const passage = marked.find((one) => one === finding?.place.first) ?? marked[0]
    return { ...judged, ...(passage && { passage }) }
  }

  /** Finds the nearest place, and records what was compared. */
  #nearest(
    searched: SearchedIn,
    quotation: Quotation,
    stretches: readonly Stretch[],
    options: { readonly only?: 'verbatim'; readonly isCached?: boolean } = {},
  ): NearestMatch | undefined {
    if (stretches.length === 0) return undefined
    const compared: ComparedPlace[] = []
    this.#comparisons.push({ searched, compared })
    // Candidates of the library are not cached: each quotation has others, and 500 of them would use too much memory.
    const prepared = options.isCached === false ? new Map() : this.#state.prepared
    const state = { ...this.#state, prepared, compared }
    return findNearestMatch(quotation, stretches, state, options.only)
  }

  async #judge(
    quotation: Quotation,
    claims: readonly Claim[],
  ): Promise<Judged & { readonly finding?: NearestMatch }> {
    const quote = quotation.text
    const isBorneOut = ({ found }: Claim): boolean => found?.isNear ?? false
    const near = claims.filter(isBorneOut)
    const best = near.find(({ found }) => found?.result === 'verbatim') ?? near[0]
    const finding = best?.found
    let failed = claims.filter((claim) => !isBorneOut(claim))
    if (best !== undefined && finding !== undefined && failed.length === 0) {
      const judged = best.isOtherVersion
        ? inVersion(quote, finding, best.ref)
        : this.#atItsPlace(quotation, finding)
      return { ...(await judged), finding }
    }
    const elsewhere = finding ?? (await this.#elsewhere(quotation))
    if (elsewhere === undefined || isNoNearer(elsewhere, failed)) return this.#unfound(quotation, failed)
    const [first] = failed
    failed = failed.filter(({ stretches }) => !standsIn(elsewhere, stretches))
    if (failed.length === 0) return inVersion(quote, elsewhere, first?.ref ?? '')
    const ref = failed[0]?.ref ?? ''
    const isOther = failed[0] !== claims[0]
    const check = {
      quote,
      ...without(elsewhere.check),
      result: 'misattributed' as const,
      found_ref: elsewhere.ref,
    }
    return {
      check: { ...check, ...(isOther && { named_ref: ref }) },
      ref,
      ...(finding && { finding }),
      rule: isOther ? 'named_place_differs' : 'place_without_the_words',
    }
  }

  async #atItsPlace(quotation: Quotation, { check, ref, result }: NearestMatch): Promise<Judged> {
    const found = result === 'fuzzy' ? await this.#elsewhere(quotation) : undefined
    const exact = found?.result === 'verbatim' ? { found_ref: found.ref } : {}
    return { check: { quote: quotation.text, ...check, ...exact }, ref, rule: 'at_its_place' }
  }

  /** No place has the words. Beside a passage in the other script they are a translation, which cannot be compared. */
  #unfound({ text: quote }: Quotation, failed: readonly Claim[]): Judged {
    const [first] = failed
    const ref = first?.ref ?? ''
    const isMarked = failed.every(({ isCited }) => isCited)
    const texts = failed.flatMap(({ stretches }) => stretches)
    if (isMarked && areInOtherScript(quote, texts))
      return { check: { quote, result: 'translation' }, ref, rule: 'other_script' }
    const similarity = first?.found?.similarity
    const check = {
      quote,
      result: 'not_found' as const,
      ...(similarity !== undefined && { similarity }),
      ...nearestOf(first?.found),
    }
    return { check, ref, rule: 'nothing_similar' }
  }

  /** Searches the cited passages, alone and joined, then with their neighbours, and then their other versions. */
  async #inMarked(quotation: Quotation, marked: readonly ComparedPassage[]): Promise<Claim> {
    const ref = marked[0]?.ref ?? ''
    const alone = marked.map((passage) => this.#join([passage]))
    const stretches = marked.length > 1 ? [...alone, this.#join(marked)] : alone
    const found = this.#nearest('marks', quotation, stretches)
    if (found?.isNear && found.result === 'verbatim') return { ref, stretches, found }
    const versions = (await Promise.all(marked.map((passage) => this.#versionsOf(passage)))).flat()
    const [wider, others] = [versions.filter(isOfCited), versions.filter((one) => !isOfCited(one))]
    const overEdge = this.#nearest('marks', quotation, wider)
    const isBetter = overEdge?.result === 'verbatim' || (overEdge?.similarity ?? 0) > (found?.similarity ?? 0)
    const better = overEdge?.isNear && isBetter ? overEdge : found
    if (better?.isNear) return { ref, stretches, found: better, isCited: true }
    const other = this.#nearest('other_versions', quotation, others)
    const all = [...stretches, ...others]
    // The words that another passage has exactly are from there.
    const exact = other?.isNear && other.result === 'fuzzy' ? await this.#elsewhere(quotation) : undefined
    if (other?.isNear && exact?.result !== 'verbatim')
      return { ref, stretches: all, found: other, isOtherVersion: true }
    return { ref, stretches: all, found: better, isCited: true }

    function isOfCited({ passages }: Stretch): boolean {
      return passages.some((one) => marked.includes(one))
    }
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

  #versionsOf(passage: ComparedPassage): Promise<readonly Stretch[]> {
    const made = this.#versions.get(passage) ?? this.#readVersions(passage)
    this.#versions.set(passage, made)
    return made
  }

  /** All versions of a passage with their neighbours. In its own version the passage is the one that was cited. */
  async #readVersions(passage: ComparedPassage): Promise<readonly Stretch[]> {
    const versions = (await this.#lookups?.stretches(passage.ref)) ?? []
    return versions.map((stretch) => {
      const at = stretch.passages.findIndex(({ ref, text }) => ref === passage.ref && text === passage.text)
      if (at < 0) return stretch
      const passages = stretch.passages.map((one, i) => (i === at ? passage : one))
      return { passages, own: { first: at, last: at } }
    })
  }

  #inNamed(quotation: Quotation, named: readonly NamedPlace[]): Claim {
    const stretches = named.flatMap((place) => place.stretches)
    const found = this.#nearest('named_refs', quotation, stretches)
    return { ref: named[0]?.ref ?? '', stretches, found }
  }

  /** Searches the whole library for a quotation that is attributed to no place, but perhaps to a work. */
  async #anywhere(quotation: Quotation, { hinted, work }: Attribution): Promise<Judged> {
    const quote = quotation.text
    const stretches = hinted.flatMap((place) => place.stretches)
    const near = this.#nearest('paragraph', quotation, stretches)
    if (near?.isNear && (work === undefined || standsInWork(near, work)))
      return { check: { quote, ...near.check }, ref: near.ref, rule: 'at_its_place' }
    const found = await this.#elsewhere(quotation, work)
    const ref = work && { ref: work.parts[0] ?? work.held[0] ?? work.written }
    if (found === undefined)
      return { check: { quote, result: 'not_found', ...nearestOf(near) }, ...ref, rule: 'nothing_similar' }
    if (work === undefined || standsInWork(found, work))
      return { check: { quote, ...found.check, found_ref: found.ref }, rule: 'elsewhere' }
    const check = { quote, ...without(found.check), result: 'misattributed' as const, found_ref: found.ref }
    return { check, ...ref, rule: 'place_without_the_words' }
  }

  /** Finds a passage that quotes the words from a verse that the text names and the library does not hold. */
  async #quotedFrom(quotation: Quotation, named: readonly NamedPlace[]): Promise<Judged | undefined> {
    const verses = unheldVerses(named)
    if (verses.length === 0 || this.#lookups === undefined || this.#lookupsLeft <= 0) return undefined
    this.#lookupsLeft -= 1
    for (const stretch of await this.#lookups.candidates(quotation.text)) {
      const options = { only: 'verbatim', isCached: false } as const
      const found = this.#nearest('library', quotation, [stretch], options)
      if (found === undefined || !isCitedFrom(verses, found)) continue
      const check = { quote: quotation.text, ...without(found.check), found_ref: found.ref }
      return { check, ref: named[0]?.ref ?? '', rule: 'cited_by_a_passage' }
    }
    return undefined
  }

  /**
   * Searches elsewhere: for the exact words in the passages at hand, then in the library, exactly or closely.
   * @param work its passages come first.
   */
  async #elsewhere(quotation: Quotation, work?: ClaimedWork): Promise<NearestMatch | undefined> {
    const others = this.#others.map((passage) => this.#join([passage]))
    const other = this.#nearest('other_marks', quotation, others, { only: 'verbatim' })
    const isEnough = other !== undefined && (work === undefined || standsInWork(other, work))
    if (isEnough || this.#lookups === undefined || this.#lookupsLeft <= 0) return other
    this.#lookupsLeft -= 1
    const candidates = await this.#lookups.candidates(quotation.text)
    const own = work === undefined ? [] : candidates.filter((stretch) => isOfWork(stretch, work))
    const inWork = this.#nearest('named_work', quotation, own, { isCached: false })
    if (inWork?.isNear) return inWork
    const found = this.#nearest('library', quotation, candidates, { isCached: false })
    return found?.isNear ? found : other
  }
}

function nearestOf(found: NearestMatch | undefined): Pick<QuoteCheck, 'nearest'> {
  return found?.nearest === undefined ? {} : { nearest: found.nearest }
}

/** The check without offsets, which belong to another passage or version; clients would apply them to the cited one. */
function without({ start: _, end: __, ...check }: NearestMatch['check']): NearestMatch['check'] {
  return check
}

/** The verdict when only another version of the passage that is meant has the words. */
function inVersion(quote: string, found: NearestMatch, ref: string): Judged {
  const { version } = found.place.first
  const check = {
    quote,
    ...without(found.check),
    found_ref: found.ref,
    ...(version && { found_version: version }),
  }
  return { check, ref, rule: 'in_another_version' }
}
