import type { ModelMessage } from '../../agent/provider.ts'
import { createOwnWordsFilter } from '../../sources/citations/own-words.ts'
import { TimeSlices } from '../../sources/text/time-slices.ts'
import { textOf } from './transcript.ts'

/**
 * The conversation for the model: earlier answers lose our citation numbers and source lists, so that the model
 * does not imitate them. Numbers that the client wrote stay.
 */
export async function modelHistory(
  conversation: readonly ModelMessage[],
  given: ReadonlySet<number>,
): Promise<readonly ModelMessage[]> {
  const slices = new TimeSlices()
  const history: ModelMessage[] = []
  for (const message of conversation) {
    const isShown = message.role === 'assistant' && mayHaveOwnWords.test(message.content)
    history.push(
      isShown ? { ...message, content: await withoutOwnWords(message.content, given, slices) } : message,
    )
  }
  return history
}

/** Skips the filter for the many answers that contain nothing to remove. */
const mayHaveOwnWords =
  /[[【]\s?\d|source|references|citation|works cited|bibliography|מקור|ציטוט|מראי|הפניות|סימוכין|ביבליוגרפיה/iu

/** The beginning of a citation number that is a link, as `citationStyle` makes it. */
const linkedNumber = /\[\d{1,3}\]\(/g

/** Maximum characters of the target of a link. */
const maxTarget = 2_000

/** Removes the targets of linked numbers. The end of a target is looked for once, however many links begin before it. */
function withoutTargets(text: string): string {
  const ends = /[)\s]/g
  const parts: string[] = []
  let kept = 0
  let end = -1
  for (const { index, 0: opening } of text.matchAll(linkedNumber)) {
    const from = index + opening.length
    if (end < from) {
      ends.lastIndex = from
      end = ends.exec(text)?.index ?? text.length
    }
    if (index < kept || text[end] !== ')' || end - from > maxTarget) continue
    parts.push(text.slice(kept, from - 1))
    kept = end + 1
  }
  return parts.join('') + text.slice(kept)
}

/** Characters that are filtered before the event loop gets a turn. */
const pieceLength = 20_000

async function withoutOwnWords(
  shown: string,
  given: ReadonlySet<number>,
  slices: TimeSlices,
): Promise<string> {
  const filter = createOwnWordsFilter(given)
  const parts: string[] = []
  const text = withoutTargets(shown)
  for (let at = 0; at < text.length; at += pieceLength) {
    await slices.pause()
    parts.push(filter.push(text.slice(at, at + pieceLength)))
  }
  return [...parts, filter.end()].join('').trimEnd()
}

/** Numbers in brackets, such as `[1]`, in the client's own messages. An answer may repeat them. */
export function givenNumbers(conversation: readonly ModelMessage[]): ReadonlySet<number> {
  const given = new Set<number>()
  for (const message of conversation) {
    if (message.role === 'assistant') continue
    const text = message.role === 'user' ? textOf(message.content) : message.content
    for (const [, number] of text.matchAll(/\[(\d{1,3})\]/g)) given.add(Number(number))
  }
  return given
}

/** The user's newest message, as text. */
export function questionOf(conversation: readonly ModelMessage[]): string {
  const newest = conversation.findLast((message) => message.role === 'user')
  return newest?.role === 'user' ? textOf(newest.content) : ''
}

/** Characters of the client's tool results in which quotations of an answer are looked for. */
const maxClientResults = 500_000

/** The results of the client's tools, newest first. Old ones beyond the limit are left out. */
export function clientResultsOf(conversation: readonly ModelMessage[]): readonly string[] {
  const results: string[] = []
  let room = maxClientResults
  for (const message of conversation.toReversed()) {
    if (message.role !== 'tool') continue
    room -= message.content.length
    if (room < 0) break
    results.push(message.content)
  }
  return results
}
