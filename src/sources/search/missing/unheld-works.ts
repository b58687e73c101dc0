import type { Executor } from '../../../db/client.ts'
import { type TitleInText, titlesIn } from '../../refs/in-text/titles.ts'
import { wordsIn } from '../../refs/in-text/words.ts'
import { findTitles } from '../../refs/title-lookup.ts'
import { headingKey } from '../../text/heading-keys.ts'
import { inSlices } from '../../text/slices.ts'
import { peopleGroups } from '../../vocabulary/names/people-names.ts'
import { isAuthorKey } from '../../vocabulary/titles/title-groups.ts'

/** A famous work whose words a text asks for and that the library has not; UTF-16 places, `end` exclusive. */
export type UnheldWork = { readonly start: number; readonly end: number; readonly title: string }

/** What presents a work as the source of an answer, before its title and behind it. */
const cueBefore =
  /(?:\b(?:according to|in|from|quote|teachings? (?:of|from)|view of) (?:the |sefer |book )*["“]?|(?:^|[^א-ת])(?:(?:לפי|על פי|ע["״]פ|אומר|אומרת|כותב|מלמד|מסביר|מבאר|מתוך|דעת|לדעת|לשיטת) (?:ה?ספר )?|[וש]?[במ](?:ספר )?)["“„”]?)$/iu
const cueBehind =
  /^["”]? (?:says?|teach|teaches|writes?|explains?|defines?|describes?|holds?|understands?|speaks?|discuss|interprets?|אומר|כותב|מלמד|מסביר|מבאר)(?![\p{L}])/iu

/** Titles of one word that are no everyday words and no persons. */
const plainTitles = new Set(
  'kuzari bahir zohar psalms tehillim כוזרי הכוזרי זוהר זהר תהלימ תהילימ'.split(' '),
)
const persons: ReadonlySet<string> = new Set(peopleGroups.flatMap((names) => names.map(headingKey)))
const maxTitles = 5
const longestQuestion = 600

/**
 * Works that a text asks for the words of, `according to the Kuzari`, and that the library has not.
 * @throws database errors.
 */
export async function unheldWorks(executor: Executor, text: string): Promise<readonly UnheldWork[]> {
  if (text.length > longestQuestion) return []
  const titles = (await titlesIn(executor, text, await inSlices(wordsIn(text)))).filter((title) =>
    isAskedFor(text, title),
  )
  const asked = longestOf(titles).slice(0, maxTitles)
  if (asked.length === 0) return []
  const named = await findTitles(
    executor,
    asked.map(({ start, end }) => text.slice(start, end)),
  )
  return asked
    .filter((_, i) => named[i] === undefined)
    .map(({ start, end }) => ({ start, end, title: text.slice(start, end) }))
}

function isAskedFor(text: string, { start, end, from, to, isExact }: TitleInText): boolean {
  if (!isExact) return false
  const key = headingKey(text.slice(start, end))
  if (isAuthorKey(key) || persons.has(key) || (to - from === 1 && !plainTitles.has(key))) return false
  return (
    cueBefore.test(text.slice(Math.max(0, start - 40), start)) || cueBehind.test(text.slice(end, end + 20))
  )
}

/** Of titles that begin at one word the first, which is the longest. */
function longestOf(titles: readonly TitleInText[]): readonly TitleInText[] {
  const found: TitleInText[] = []
  for (const title of titles) if ((found.at(-1)?.to ?? 0) <= title.from) found.push(title)
  return found
}
