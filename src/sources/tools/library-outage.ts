import type { ToolOutcome } from '../../agent/tools.ts'
import type { LibraryDatabase } from '../../db/library/library-database.ts'
import { LibraryUnavailable, retryLibraryRead } from '../../db/library/library-outage.ts'

/**
 * Runs a tool that reads the library. If a separate library database does not answer for 10 seconds, the model gets an
 * error as the result, so that the turn goes on.
 */
export async function whileLibraryAnswers<Transaction>(
  library: LibraryDatabase,
  work: () => Promise<ToolOutcome<Transaction>>,
  signal: AbortSignal,
): Promise<ToolOutcome<Transaction>> {
  try {
    return await retryLibraryRead(library, work, signal)
  } catch (error) {
    if (!(error instanceof LibraryUnavailable)) throw error
    return { content: JSON.stringify({ error: unavailable, unavailable: error.message }), isError: true }
  }
}

const unavailable =
  'The library cannot be reached at present: no source can be searched or read. Say so to the user, and cite or quote nothing from memory.'
