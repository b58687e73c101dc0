import type { ToolResult, Turn } from './conversation.ts'
import { withoutLanguageRequest } from './language.ts'
import { type Chosen, choosePassages, hitsIn } from './passages.ts'

/**
 * A question can stand alone, or need the one before it ("where is he buried?"). Every reading is searched, and what the
 * searches find decides.
 */

/** Questions before the newest one that a reading can add. */
const maxEarlier = 2
/** Characters of an earlier question that are searched beside the newest one. */
const maxSubject = 200
/** Maximum characters of a search. */
const maxQuery = 500
/**
 * A question with more words names its subject itself. Chosen with `test/agent/follow-ups.jsonl` and with questions
 * of `starter.third`, `fourth` and `sixth` that followed one another.
 */
const maxWords = 7

/** What to search for: the question alone, with the question before it, and with the two before it. */
export function readingsOf({ question, earlier }: Turn): readonly string[] {
  const own = withoutLanguageRequest(question).trim() || question
  const before = wordsIn(own) > maxWords ? [] : earlier.filter((one) => one.trim() !== '').slice(-maxEarlier)
  const subjects = before.map((one) => one.trim().slice(0, maxSubject).toWellFormed())
  const added = subjects.map((_, i) => subjects.slice(-1 - i).join('\n'))
  return [own, ...added.map((subject) => `${subject}\n${own}`)].map((text) =>
    text.slice(0, maxQuery).toWellFormed(),
  )
}

export type Reading = Chosen & {
  readonly search: ToolResult | undefined
  /** The search was for the words of earlier questions, too. */
  readonly withEarlier: boolean
}

/**
 * The reading that the searches support: the question alone if it names a place or the title of its best passage, or
 * something that the library lacks. Otherwise the shortest reading that names the title of its best passage, with the
 * best passage of the question alone as the second one. Otherwise the question alone.
 */
export function readingFound(searches: readonly ToolResult[]): Reading {
  const [own = chosenFrom(undefined, false), ...more] = searches.map((search, i) => chosenFrom(search, i > 0))
  if (isSure(own) || own.search?.['does_not_exist'] !== undefined) return own
  const extended = more.find(isSure)
  if (extended === undefined) return own
  const [best, ...others] = extended.places
  const besides = own.places.slice(0, 1).filter(({ ref }) => ref !== best?.ref)
  const rest = others.filter(({ ref }) => besides.every((one) => one.ref !== ref))
  return { ...extended, places: [best, ...besides, ...rest].flatMap((place) => place ?? []) }
}

function chosenFrom(search: ToolResult | undefined, withEarlier: boolean): Reading {
  return { ...choosePassages(hitsIn(search), search?.['does_not_exist'] !== undefined), search, withEarlier }
}

function isSure({ places: [best] }: Chosen): boolean {
  return best !== undefined && (best.titled || best.isNamed)
}

function wordsIn(text: string): number {
  return text.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0
}
