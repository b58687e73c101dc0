import type { Executor } from '../../../db/client.ts'
import { isBreak, type TextWord } from '../../refs/grammar/text-words.ts'
import { findTitles } from '../../refs/title-lookup.ts'
import { headingKey, looseWord } from '../../text/heading-keys.ts'
import { withoutPrefixes } from '../../text/hebrew.ts'
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
const maxTitleWords = 8

/**
 * Finds works that a text asks about (`according to the Kuzari`) and that the library has under none of their names.
 * `X on joy` asks for the entry X, if the library has one.
 * @throws database errors.
 */
export async function absentWorks(executor: Executor, question: Question): Promise<readonly AbsentWork[]> {
  if (!question.isShort) return []
  const { text, words } = await question.words()
  const asked: (Known & { readonly isAbout: boolean })[] = []
  for (let at = 0; at < words.length && asked.length < maxTitles; at += 1) {
    const known = knownAt(text, words, at)
    if (!known) continue
    const cue = cueFor(text, known)
    if (cue) asked.push({ ...known, isAbout: !cue.isSource })
    at = known.to - 1
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
  readonly to: number
  readonly key: string
  readonly names: readonly string[]
}

/** The longest title of the vocabulary that begins at a word, with or without a Hebrew prefix. */
function knownAt(text: string, words: readonly TextWord[], at: number): Known | undefined {
  const first = words[at]
  if (!first) return undefined
  const found = withoutPrefixes(first.key).flatMap((base) => knownFrom(text, words, at, base))
  return found.reduce<Known | undefined>((best, one) => (best && best.to >= one.to ? best : one), undefined)
}

/** The titles that begin with a word, also without its prefix. */
function knownFrom(text: string, words: readonly TextWord[], at: number, base: string): readonly Known[] {
  const first = words[at] as TextWord
  const cut = first.key.length - base.length
  const start = first.start + cut
  const found: Known[] = []
  let [key, loose] = [base, cut === 0 ? first.loose : looseWord(base)]
  for (let to = at + 1; to <= Math.min(words.length, at + maxTitleWords); to += 1) {
    const last = words[to - 1] as TextWord
    if (to > at + 1) {
      if (isBreak(text.slice((words[to - 2] as TextWord).end, last.start))) break
      ;[key, loose] = [`${key} ${last.key}`, `${loose} ${last.looseNext}`]
    }
    const end = last.end - (/^[a-z].*['’]s$/i.test(last.text) ? 2 : 0)
    const names = namesOf(key, to > at + 1 && isWhole(text, end) ? `~${loose}` : undefined)
    if (names) found.push({ start, end, to, key, names: [...new Set([text.slice(start, end), ...names])] })
  }
  return found
}

/**
 * Whether the title ends here. In another spelling, the words may be the beginning of another title: `Sefer Chemdat
 * HaLev` is not `Sefer HaMiddot`.
 */
function isWhole(text: string, end: number): boolean {
  return !/^ \p{Lu}/u.test(text.slice(end, end + 2))
}

const vocabulary: ReadonlySet<string> = new Set(vocabularyTitleKeys())

/** Alternative names of a title that `findTitles` does not try itself. */
function namesOf(key: string, loose: string | undefined): readonly string[] | undefined {
  const keys = loose === undefined ? [key] : [key, loose]
  for (const one of keys) {
    const names = namesOfKnownWork(one)
    if (names) return names
  }
  return keys.some((one) => vocabulary.has(one)) ? [] : undefined
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
