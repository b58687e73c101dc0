import type { Executor } from '../../../db/client.ts'
import type { FoundRef } from '../../refs/in-text/find-refs.ts'
import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'
import { lazy } from '../../text/lazy.ts'
import { tokenize } from '../../text/tokens.ts'
import { namesAt } from '../../vocabulary/lookup.ts'
import { phraseTermsAt } from '../../vocabulary/phrase-terms.ts'
import { knownWorkKeys, namesOfKnownWork } from '../../vocabulary/titles/known-works.ts'
import { vocabularyTitleKeys } from '../../vocabulary/titles/title-groups.ts'
import { headStrength, isTitleLikeTerm } from '../../vocabulary/titles/title-heads.ts'
import { textsContaining } from '../phrases/runs-in-texts.ts'
import { inHeadings } from './heading-entries.ts'
import { type NamedBook, namedBooks, overlap } from './named-books.ts'
import { titleSlots } from './title-slots.ts'

const known = lazy(
  (): ReadonlySet<string> =>
    new Set([...knownWorkKeys().flatMap((key) => [key, looseHeadingKey(key)]), ...vocabularyTitleKeys()]),
)

/** Whether the vocabulary knows a work with this title, in any spelling. */
export function isKnownTitle(title: string): boolean {
  return keysOf(title).some((key) => known().has(key)) || namesOfKnownWork(headingKey(title)) !== undefined
}

/**
 * Finds books that a text names and that neither the vocabulary nor the library knows. A name found only by its first
 * word and the sentence (`titleSlots`) must also occur in no text of the library.
 * @param refs refs of the text.
 * @throws database errors.
 */
export async function unknownBooks(
  executor: Executor,
  text: string,
  refs: readonly FoundRef[],
): Promise<readonly NamedBook[]> {
  const taken = refs.filter(({ outcome }) => outcome !== 'unknown_work')
  const named = namedBooks(text).filter(
    (book) => !taken.some((ref) => overlap(ref, book)) && !beginsWithinTitle(text, book),
  )
  const books = await withoutHeadings(executor, named.filter(isOpen))
  const slots = titleSlots(text).filter(
    (slot) => isOpen(slot) && ![...refs, ...named].some((span) => overlap(span, slot)),
  )
  const open = await withoutHeadings(executor, slots)
  const inTexts = await textsContaining(
    executor,
    open.map(({ familiar }) => familiar),
  )
  return [...books, ...open.filter((_, i) => !inTexts.has(i))].sort((a, b) => a.start - b.start)
}

const wordBefore = /([\p{L}\p{M}'’-]+) $/u

/** Whether a name begins with the last word of a known title: `Or and Likutei X` in `Torah Or and Likutei X`. */
function beginsWithinTitle(text: string, { start, title }: NamedBook): boolean {
  const before = wordBefore.exec(text.slice(Math.max(0, start - 40), start))?.[1]
  return before !== undefined && isKnownTitle(`${before} ${title.split(' ')[0]}`)
}

/**
 * Whether the title may run too far, so that its beginnings are looked up. These need the exact spelling: `Sefer
 * Chemdat HaLev` is not `Sefer HaMiddot`.
 */
function isOpen({ title }: NamedBook): boolean {
  const whole = [title, title.replace(generic, '')]
  if (whole.some((name) => isKnownTitle(name) || isTerm(name))) return false
  return !namesOf(title).some((name) => known().has(headingKey(name)) || isTitleLikeTerm(headingKey(name)))
}

/** Leaves out books that equal a heading of the library or the end of one. */
async function withoutHeadings<Book extends NamedBook>(
  executor: Executor,
  books: readonly Book[],
): Promise<readonly Book[]> {
  const here = await inHeadings(
    executor,
    books.map(({ title }) => namesOf(title)),
  )
  return books.filter((_, i) => !here.has(i))
}

function keysOf(title: string): readonly string[] {
  return [headingKey(title), looseHeadingKey(title)]
}

/** Whether a name is a term of the field and not a book: `Or Makif`. */
function isTerm(title: string): boolean {
  const tokens = tokenize(title)
  const lengths = [
    ...namesAt(tokens, 0).map(({ length }) => length),
    ...phraseTermsAt(tokens, 0).map(([, length]) => length),
  ]
  return lengths.some((length) => length === tokens.length) || keysOf(title).some(isTitleLikeTerm)
}

/** Words before the name of a book. */
const generic = /^(?:the |sefer |ספר |book |the book )/i

/** Further first words of many titles. The words after them may run past the title. */
const kinds = /^(?:ספר|קונטרס|מאמר|חיבור|Sefer|Maamar|Ma'amar|Kuntres|Sichat) /

/** A title without generic words before it. If it may run too far, its beginnings too. */
function namesOf(title: string): readonly string[] {
  const bare = title.replace(generic, '')
  const words = title.split(' ')
  const [first = ''] = words
  const startsTitle = kinds.test(title) || headStrength(headingKey(first)) !== undefined
  const beginnings = startsTitle ? words.map((_, i) => words.slice(0, i + 1).join(' ')) : []
  const bareOnes = beginnings.map((name) => name.replace(generic, ''))
  return [...new Set([title, bare, ...[...beginnings, ...bareOnes].filter((name) => name.includes(' '))])]
}
