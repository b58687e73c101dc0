import { withTx } from '../../../db/client.ts'
import type { ConversationTurn } from '../../../turns/reading/conversation.ts'
import { branchPlace } from '../../../turns/sessions/branches.ts'
import { feedbackOf } from '../../../turns/sessions/feedback.ts'
import type { WebServices } from '../services.ts'
import type { TurnExtras } from './turn-views.ts'

/** Reads what the owner of these turns has said of their answers, and the branches of their session. */
export function readExtras(
  { database }: WebServices,
  { accountId, sessionId }: { readonly accountId: string; readonly sessionId: string },
  turns: readonly ConversationTurn[],
): Promise<TurnExtras & Pick<Awaited<ReturnType<typeof branchPlace>>, 'parent'>> {
  return withTx(database, { accountId }, async (tx) => ({
    feedback: await feedbackOf(
      tx,
      turns.map(({ run }) => run.id),
    ),
    ...(await branchPlace(tx, sessionId)),
  }))
}
