import type { Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import { type Database, withTx } from '../../db/client.ts'
import { notFound, ServiceError } from '../../errors.ts'
import type { Run } from '../run/run.ts'
import { findRun } from '../run/runs.ts'
import { readConversation } from '../run/transcript.ts'
import { type Admitted, admitTurn } from './admit-turn.ts'
import type { ClientTurn } from './client-turn.ts'
import { NotLastTurn } from './continuation.ts'

/**
 * Continues from a given turn. If it is the last turn of its session, the new turn joins that session.
 * Otherwise a new session starts with a copy of the conversation up to it, so two simultaneous continuations do
 * not see each other.
 * @param input its messages are only the new ones.
 * @throws what `admitTurn` throws.
 */
export async function admitAfter(
  services: Parameters<typeof admitTurn>[0],
  principal: Principal,
  input: ClientTurn,
  after: Run,
): Promise<Admitted> {
  try {
    return await admitTurn(services, principal, { ...input, sessionId: after.sessionId, after })
  } catch (error) {
    if (!(error instanceof NotLastTurn)) throw error
    const messages = [...(await conversationOf(services.database, principal, after)), ...input.messages]
    return admitTurn(services, principal, {
      ...input,
      messages,
      projectId: after.projectId,
      sessionId: undefined,
    })
  }
}

/** Characters of a conversation that a new session begins with: as many as a client could send itself. */
const maxCopy = 16 * 1024 * 1024

function conversationOf(
  database: Database,
  principal: Principal,
  { id }: Run,
): Promise<readonly ModelMessage[]> {
  return withTx(database, principal, async (tx) => {
    const run = await findRun(tx, principal, id)
    if (!run) throw notFound()
    if (run.finishedAt !== null) return readConversation(tx, run, maxCopy)
    throw new ServiceError(
      'session_busy',
      'The previous response has not ended, and another one is queued after it. Wait for its end.',
      { shouldRetry: false },
    )
  })
}
