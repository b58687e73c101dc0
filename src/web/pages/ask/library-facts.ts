import { databaseFault, isTransient } from '../../../db/errors.ts'
import type { LibraryDatabase } from '../../../db/library/library-database.ts'
import { passagesAt } from '../../../sources/library/passages.ts'
import { findRefs } from '../../../sources/refs/in-text/find-refs.ts'
import type { ConversationTurn } from '../../../turns/reading/conversation.ts'
import { readHref } from '../../components/library-links.ts'
import type { RefMark } from '../../markdown/answer-marks.ts'
import type { LibraryFacts } from './turn-views.ts'

/** Maximum refs of one answer that become links. */
const maxRefs = 200

const noFacts: LibraryFacts = { passages: new Map(), refs: new Map() }

/**
 * The library's passages at the sources of these turns, and the refs that the answers name. None while a separate
 * library database does not answer: the conversation is readable without them.
 */
export async function libraryFacts(
  library: LibraryDatabase,
  turns: readonly ConversationTurn[],
): Promise<LibraryFacts> {
  const ended = turns.filter(({ end }) => end !== undefined)
  const refs = new Set(ended.flatMap(({ end }) => end?.sources.map((source) => source.ref) ?? []))
  try {
    const passages = await passagesAt(library.system, [...refs])
    const named = await Promise.all(
      ended.map(async ({ run, answer }) => [run.id, await refMarks(library, answer)] as const),
    )
    return { passages, refs: new Map(named) }
  } catch (error) {
    if (isOutage(library, error)) return noFacts
    throw error
  }
}

function isOutage({ isSeparate }: LibraryDatabase, error: unknown): boolean {
  const fault = databaseFault(error)
  return isSeparate && fault !== undefined && isTransient(fault)
}

/** The refs of a text as links. None while a separate library database does not answer. */
export async function refsOf(library: LibraryDatabase, text: string): Promise<readonly RefMark[]> {
  return refMarks(library, text).catch((error: unknown) => {
    if (isOutage(library, error)) return []
    throw error
  })
}

/** The refs with numbers that a text names and the library has, in order. */
async function refMarks({ system }: LibraryDatabase, text: string): Promise<readonly RefMark[]> {
  const found = await findRefs(system, text, { numbersOnly: true })
  return found
    .slice(0, maxRefs)
    .flatMap(({ outcome, ref, written }) =>
      outcome === 'found' && ref !== null ? [{ written, href: readHref(ref) }] : [],
    )
}
