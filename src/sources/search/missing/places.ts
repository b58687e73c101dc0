import type { Executor } from '../../../db/client.ts'
import type { AtPublisher } from '../../library/publisher.ts'
import { withDigits } from '../../refs/grammar/number-words.ts'
import { isPageRef } from '../../refs/grammar/pages.ts'
import { scripturePlace, scriptureQuery } from '../../refs/grammar/scripture-places.ts'
import type { FoundRef } from '../../refs/in-text/find-refs.ts'
import { partsInText } from '../../refs/in-text/parts-in-text.ts'
import { nearestRefs, nearestUnderTitle } from '../../refs/nearest-refs.ts'
import { findTitles } from '../../refs/title-lookup.ts'
import { Question } from '../named/question.ts'
import { absentWorks } from './absent-works.ts'
import { type NamedBook, overlap, type Span } from './named-books.ts'
import { missingParts } from './parts.ts'
import { isKnownTitle, unknownBooks } from './unknown-books.ts'

/** A place or book that a question names and that the library does not have. */
export type MissingPlace = {
  /** As the question names it. A number has its title: `Tanya ch. 112`. */
  readonly written: string
  /**
   * `place`: the library has the work but no such place. `unheld`: a place of a known work that the library does not
   * hold. `unheld_work`: the title of such a work, if the text asks what it says. `page`: a page, which the library
   * does not store. `work`: a title that neither the library nor the vocabulary has.
   */
  readonly kind: 'place' | 'page' | 'work' | 'unheld' | 'unheld_work'
  /** Existing refs or titles, nearest first. */
  readonly nearest: readonly string[]
  /** For a place of the Bible or the Talmud: refs of passages that cite it, most exact citation first. */
  readonly citedBy?: readonly string[]
  /** For `unheld_work`: ref of the article about the work in a reference work of the library. */
  readonly article?: string
  /** Where its publisher has it, if the service asked and may not store it. */
  readonly publisher?: AtPublisher
}

const maxCitedBy = 5
const maxOffered = 5

/** Maximum number of titles for which near ones are searched. */
const maxNearest = 3

/**
 * Finds what a text names and the library does not have, in order and without duplicates: places of stored works,
 * places of works that it does not hold, such works if the text asks what they say, and unknown books. A known work
 * that the text only mentions is not missing.
 * @throws database errors.
 */
export async function missingPlaces(
  executor: Executor,
  asked: string | Question,
): Promise<readonly MissingPlace[]> {
  const question = Question.of(executor, asked)
  const { text } = question
  // Names of tractates are common words, so they count only alone with their number.
  if (scriptureQuery(text) && !(await question.place())) {
    const alone = { written: text.trim(), kind: 'unheld' as const, nearest: [] }
    return [await withCiting(question, (await nearestInBook(executor, text)) ?? alone)]
  }
  const refs = await question.refs()
  const missing = await missingRefs(executor, question, refs)
  const books = await unknownBooks(executor, text, refs)
  const places = missing.filter(({ span }) => !books.some((book) => overlap(span, book)))
  const taken = [...refs, ...places.map(({ span }) => span), ...books]
  const unheld = (await absentWorks(executor, question)).filter(
    (one) => !taken.some((span) => overlap(span, one)),
  )
  const found = [
    ...places.map(({ span, place }) => ({ at: span.start, place })),
    ...unheld.map(({ start, title, article }) => ({
      at: start,
      place: { written: title, kind: 'unheld_work' as const, nearest: [], ...(article && { article }) },
    })),
    ...(await withNearTitles(executor, books, missing)),
  ].toSorted((a, b) => a.at - b.at)
  const once = [...new Map(found.map(({ place }) => [place.written, place])).values()]
  const all: MissingPlace[] = []
  for (const place of once) all.push(await withCiting(question, place))
  return all
}

type PlacedMissing = { readonly span: Span; readonly place: MissingPlace }

/**
 * Finds missing places among the refs of a text, its named parts (`Work, Entry 7`) and its numbered parts (`Tanya,
 * part six`).
 */
async function missingRefs(
  executor: Executor,
  question: Question,
  refs: readonly FoundRef[],
): Promise<readonly PlacedMissing[]> {
  const known = refs.filter(({ outcome }) => outcome !== 'unknown_work')
  const named = (await partsInText(executor, question, known)).filter(({ outcome }) => outcome === 'missing')
  const parted = (await missingParts(executor, question)).filter(
    // The ref goes on after the part: `Guide, part 3, chapter 51`.
    (part) => part.kind === 'place' || !refs.some((ref) => overlap(ref, part)),
  )
  const numbered = parted.map((part) => ({
    span: part,
    place: { written: part.written, kind: part.kind, nearest: part.nearest },
  }))
  const parts: PlacedMissing[] = [...numbered]
  for (const ref of named) parts.push({ span: ref, place: await partPlace(executor, ref) })
  const found: PlacedMissing[] = []
  for (const ref of refs) {
    if (ref.outcome === 'missing' && !isPageRef(withDigits(ref.asked)))
      found.push({ span: ref, place: placeOf(ref) })
    else if (
      /^(?:missing|unknown_work|unplaced)$/.test(ref.outcome) &&
      !parts.some(({ span }) => overlap(span, ref))
    )
      found.push({ span: ref, place: await unknownPlace(executor, ref) })
  }
  return [...found, ...parts.filter(({ span }) => !found.some((one) => overlap(one.span, span)))]
}

/** A place that a stored book of the Bible does not have, with the nearest ones. */
async function nearestInBook(executor: Executor, text: string): Promise<MissingPlace | undefined> {
  const nearest = await nearestUnderTitle(executor, text)
  return nearest.length === 0 ? undefined : { written: text.trim(), kind: 'place', nearest }
}

async function withCiting(question: Question, place: MissingPlace): Promise<MissingPlace> {
  const scripture = scripturePlace(place.written)
  if (!scripture) return place
  const citing = await question.citing(scripture)
  const citedBy = [...new Set(citing.map(({ ref }) => ref))].slice(0, maxCitedBy)
  return { ...place, kind: place.kind === 'work' ? 'unheld' : place.kind, citedBy }
}

function placeOf({ asked, nearest }: FoundRef): MissingPlace {
  return { written: asked, kind: 'place', nearest }
}

/** A missing part of a stored work, or of a work that only the vocabulary knows. */
async function partPlace(executor: Executor, ref: FoundRef): Promise<MissingPlace> {
  const place = await unknownPlace(executor, ref)
  return place.kind === 'unheld' ? place : placeOf(ref)
}

/** A ref under an unknown title. The title may begin with a known one: `Tanya VI, chapter 3`. */
async function unknownPlace(executor: Executor, { asked, outcome }: FoundRef): Promise<MissingPlace> {
  const isPage = outcome === 'unplaced' || isPageRef(withDigits(asked))
  const name = knownBeginning(asked.replace(/[\d\s:.,§-]+$/, ''))
  if (name === undefined && isPage) return { written: asked, kind: 'page', nearest: [] }
  if (name === undefined && scripturePlace(asked)) return { written: asked, kind: 'unheld', nearest: [] }
  if (name === undefined) return { written: asked, kind: 'work', nearest: await nearestRefs(executor, asked) }
  const [named] = await findTitles(executor, [name])
  if (isPage && named) return { written: asked, kind: 'page', nearest: [] }
  const nearest = (named?.headings ?? []).map(({ heading }) => heading).slice(0, maxOffered)
  return { written: asked, kind: named ? 'place' : 'unheld', nearest }
}

/**
 * Whether a ref names a place of a known work, or such a work itself, that the library does not hold.
 * @throws database errors.
 */
export async function isOfUnheldWork(executor: Executor, ref: string): Promise<boolean> {
  const name = knownBeginning(ref.replace(/[\d\s:.,§-]+$/, ''))
  if (name === undefined) return scripturePlace(ref) !== undefined
  const [named] = await findTitles(executor, [name])
  return named === undefined
}

/** Says that a title follows. In the comparison of titles it would make all books alike. */
const bookWord = /^(?:ספר|the book|book|sefer|the) (?=\S+ )/i

async function withNearTitles(
  executor: Executor,
  books: readonly NamedBook[],
  refs: readonly PlacedMissing[],
): Promise<readonly { readonly at: number; readonly place: MissingPlace }[]> {
  const found: { at: number; place: MissingPlace }[] = []
  for (const { start, end, title } of books) {
    // The number that the text writes behind it belongs to what is missing.
    const numbered = refs.find(({ span }) => span.start <= start && end <= span.end)
    const nearest = found.length < maxNearest ? await nearestRefs(executor, title.replace(bookWord, '')) : []
    found.push({ at: start, place: { written: numbered?.place.written ?? title, kind: 'work', nearest } })
  }
  return found
}

/** The longest beginning of a ref that is a work of the vocabulary. */
function knownBeginning(title: string): string | undefined {
  const words = title.split(/\s+/)
  return words.map((_, i) => words.slice(0, words.length - i).join(' ')).find((name) => isKnownTitle(name))
}
