import type { Executor } from '../../../db/client.ts'
import type { TitleInText } from '../../refs/in-text/titles-in-text.ts'
import { findTitles } from '../../refs/title-lookup.ts'
import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'
import { lazy } from '../../text/lazy.ts'
import { peopleGroups } from '../../vocabulary/names/people-names.ts'
import { isDistinctTitle } from '../../vocabulary/titles/everyday-titles.ts'
import { namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { isReferenceWork } from '../../vocabulary/titles/reference-works.ts'
import { isAuthorKey, vocabularyTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { isTitleLikeTerm } from '../../vocabulary/titles/title-heads.ts'
import type { Question } from '../named/question.ts'
import { type BookCue, bookCue } from './book-cues.ts'
import { inHeadings } from './heading-entries.ts'

/**
 * A known work that the library does not hold, if the text asks what it says. UTF-16 offsets, `end` exclusive.
 * `article`: ref of the entry about it, if a reference work of the library has one.
 */
export type AbsentWork = {
  readonly start: number
  readonly end: number
  readonly title: string
  readonly article?: string
}

const persons = lazy(() => new Set(peopleGroups.flatMap((names) => names.map(headingKey))))
const maxTitles = 5

/**
 * Finds works that a text asks about (`according to the Kuzari`) and that the library has under none of their names.
 * `X on joy` asks for the entry X, if the library has one.
 * @throws database errors.
 */
export async function absentWorks(executor: Executor, question: Question): Promise<readonly AbsentWork[]> {
  if (!question.isShort) return []
  const { text } = await question.words()
  const asked: (Known & { readonly isAbout: boolean })[] = []
  let to = 0
  for (const title of await question.titles()) {
    const known = title.from >= to && asked.length < maxTitles ? knownIn(text, title) : undefined
    if (!known) continue
    const cue = cueFor(text, known)
    if (cue) asked.push({ ...known, isAbout: !cue.isSource })
    to = title.to
  }
  if (asked.length === 0) return []
  const named = await findTitles(
    executor,
    asked.flatMap(({ names }) => names),
  )
  const entries = await inHeadings(
    executor,
    asked.map(({ names }) => names),
  )
  let first = 0
  return asked.flatMap(({ start, end, names, isAbout }, i) => {
    const isHeld = named.slice(first, first + names.length).some((one) => one !== undefined)
    first += names.length
    const entry = entries.get(i)
    if (isHeld || (isAbout && entry)) return []
    const article = entry && isReferenceWork(entry.title) ? entry.ref : undefined
    return [{ start, end, title: text.slice(start, end), ...(article !== undefined && { article }) }]
  })
}

type Known = {
  readonly start: number
  readonly end: number
  readonly key: string
  readonly names: readonly string[]
}

/** A title as one of the vocabulary; undefined if it has another one. */
function knownIn(text: string, { start, end, from, to }: TitleInText): Known | undefined {
  const written = text.slice(start, end)
  const key = headingKey(written)
  const names = namesOf(key, to - from > 1 && isWhole(text, end) ? looseHeadingKey(written) : undefined)
  return names && { start, end, key, names: [...new Set([written, ...names])] }
}

/**
 * Whether the title ends here. In another spelling, the words may be the beginning of another title: `Sefer Chemdat
 * HaLev` is not `Sefer HaMiddot`.
 */
function isWhole(text: string, end: number): boolean {
  return !/^ \p{Lu}/u.test(text.slice(end, end + 2))
}

const vocabulary = lazy<ReadonlySet<string>>(() => new Set(vocabularyTitleKeys()))

/** Alternative names of a title that `findTitles` does not try itself. */
function namesOf(key: string, loose: string | undefined): readonly string[] | undefined {
  const keys = loose === undefined ? [key] : [key, loose]
  for (const one of keys) {
    const names = namesOfKnownWork(one)
    if (names) return names
  }
  return keys.some((one) => vocabulary().has(one)) ? [] : undefined
}

/** The cue with which the text asks about a work; undefined when it only mentions it. */
function cueFor(text: string, { start, end, key }: Known): BookCue | undefined {
  // A title alone is a topic, also with a prefix: `בלקו"ת`.
  if (!/\p{L}[^\p{L}]+\p{L}/u.test(`${text.slice(0, start)}X${text.slice(end)}`)) return undefined
  const cue = bookCue(text, start, end)
  if (isAuthorKey(key) || (persons().has(key) && !cue.isBook)) return undefined
  if (!key.includes(' ') && !isDistinctTitle(key)) return undefined
  const isAsked = isTitleLikeTerm(key) ? cue.isSource && cue.isBook : cue.isSource || cue.isAbout
  return isAsked ? cue : undefined
}
