import { LibraryUnavailable, outageReason, retryLibraryRead } from '../../db/library/library-outage.ts'
import type { Logger } from '../../log.ts'
import { verifyLookups } from '../../sources/citations/verify-lookups.ts'
import type { TurnStop } from '../run/turn-stop.ts'
import type { Answer } from './answer.ts'
import type { ToolServices } from './turn-tools.ts'

export type VerifyServices = Pick<ToolServices, 'library' | 'ask'> & { readonly log: Logger }

/**
 * Creates the verification at the end of a turn. If a separate library database does not answer, the answer stays
 * unverified, because a finished answer is worth more than a failed turn.
 */
export function answerVerifier(
  { library, ask, log }: VerifyServices,
  runId: string,
  stop: TurnStop,
): (answer: Answer) => Promise<void> {
  const lookups = verifyLookups(library.system, ask, stop.turn)
  return async (answer) => {
    try {
      await retryLibraryRead(library, () => answer.check(lookups), stop.writing)
    } catch (error) {
      if (!(error instanceof LibraryUnavailable)) throw error
      log.warn({ runId, reason: outageReason(error) }, 'an answer was not verified: no library')
    }
  }
}
