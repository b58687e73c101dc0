import { type Executor, withTx } from '../../../db/client.ts'
import { type ConversationTurn, readTurns } from '../../../turns/read/conversation.ts'
import { type BranchPlace, branchPlace } from '../../../turns/sessions/branches.ts'
import { feedbackOf } from '../../../turns/sessions/feedback.ts'
import type { WebServices } from '../services.ts'
import type { TurnExtras } from './turn-views.ts'

/** Maximum number of turns that are shown from before a branch. The page links to the others. */
const maxEarlierTurns = 8

type Extras = TurnExtras &
  Pick<BranchPlace, 'parent'> & {
    /** The last turns of the conversation before its branch, oldest first. */
    readonly earlier: readonly ConversationTurn[]
  }

/**
 * Reads what the owner of these turns has said of their answers, and the branches of their session.
 * @param page.isFirst whether the turns are the first of their session: those before a branch come before them.
 */
export function readExtras(
  services: WebServices,
  { accountId, sessionId }: { readonly accountId: string; readonly sessionId: string },
  { turns, isFirst }: { readonly turns: readonly ConversationTurn[]; readonly isFirst: boolean },
): Promise<Extras> {
  return withTx(services.database, { accountId }, async (tx) => {
    const place = await branchPlace(tx, sessionId)
    return {
      feedback: await feedbackOf(
        tx,
        turns.map(({ run }) => run.id),
      ),
      ...place,
      earlier: isFirst ? await turnsBefore(services, tx, place.parent, maxEarlierTurns) : [],
    }
  })
}

/** The newest turns of a conversation, oldest first. Those before a branch come before its own. */
export async function readWithEarlier(
  services: WebServices,
  tx: Executor,
  sessionId: string,
  page: { readonly limit: number; readonly before?: number },
): Promise<readonly ConversationTurn[]> {
  const { turns, hasEarlier } = await readTurns(services, tx, sessionId, page)
  if (hasEarlier) return turns
  const { parent } = await branchPlace(tx, sessionId)
  return [...(await turnsBefore(services, tx, parent, page.limit - turns.length)), ...turns]
}

/** A branch can continue another branch, so the turns may come from several sessions. */
async function turnsBefore(
  services: WebServices,
  tx: Executor,
  parent: BranchPlace['parent'],
  most: number,
): Promise<readonly ConversationTurn[]> {
  let turns: readonly ConversationTurn[] = []
  for (let place = parent; place && turns.length < most; ) {
    const page = { limit: most - turns.length, before: place.turn }
    const read = await readTurns(services, tx, place.id, page)
    turns = [...read.turns, ...turns]
    place = (await branchPlace(tx, place.id)).parent
  }
  return turns
}
