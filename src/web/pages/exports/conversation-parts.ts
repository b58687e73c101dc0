import { withTx } from '../../../db/client.ts'
import { type ConversationTurn, readTurns } from '../../../turns/read/conversation.ts'
import { branchPlace } from '../../../turns/sessions/branches.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import type { WebServices } from '../services.ts'

/** Turns of one part. Reading all turns of a long conversation at once would block the event loop. */
export const partTurns = 3

/** A session; with `turn`, only its turns before that one. */
type Place = { readonly id: string; readonly turn?: number }

/**
 * The newest turns of a conversation, in parts: the newest part comes first, and within a part the oldest turn. Those
 * before a branch belong to it.
 * @param limit maximum turns of all parts.
 */
export async function* conversationParts(
  services: WebServices,
  session: Session,
  limit: number,
): AsyncGenerator<readonly ConversationTurn[]> {
  let left = limit
  for (let place: Place | undefined = { id: session.id }; place && left > 0; ) {
    const part = await readPart(services, session, place, Math.min(left, partTurns))
    if (part.turns.length > 0) yield part.turns
    left -= part.turns.length
    place = part.before
  }
}

/** `before`: where the next part is. Undefined: there is none. */
function readPart(
  services: WebServices,
  session: Session,
  { id, turn }: Place,
  limit: number,
): Promise<{ readonly turns: readonly ConversationTurn[]; readonly before: Place | undefined }> {
  return withTx(services.database, session, async (tx) => {
    const { turns, hasEarlier } = await readTurns(services, tx, id, { limit, before: turn })
    const [oldest] = turns
    if (hasEarlier && oldest) return { turns, before: { id, turn: oldest.run.turn } }
    return { turns, before: (await branchPlace(tx, id)).parent }
  })
}
