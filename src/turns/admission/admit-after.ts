import type { Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import { type Database, withTx } from '../../db/client.ts'
import { notFound, ServiceError } from '../../errors.ts'
import type { Run } from '../run/run.ts'
import { findRun } from '../run/runs.ts'
import { readConversation } from '../run/transcript.ts'
import { type Admitted, admitTurn } from './admit-turn.ts'
import { Overtaken } from './continuation.ts'
import type { ClientTurn } from './start-attempts.ts'

/**
 * Goes on from a turn: in its session if it is the last one there, else in a new session that begins with a copy of the
 * conversation up to it. So two requests that go on from one turn at once do not hear of each other.
 * @param input its messages are only what is new.
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
    if (!(error instanceof Overtaken)) throw error
    const messages = [...(await conversationOf(services.database, principal, after)), ...input.messages]
    return admitTurn(services, principal, {
      ...input,
      messages,
      projectId: after.projectId,
      sessionId: undefined,
    })
  }
}

function conversationOf(
  database: Database,
  principal: Principal,
  { id }: Run,
): Promise<readonly ModelMessage[]> {
  return withTx(database, principal, async (tx) => {
    const run = await findRun(tx, principal, id)
    if (!run) throw notFound()
    if (run.finishedAt !== null) return readConversation(tx, run)
    throw new ServiceError(
      'session_busy',
      'The previous response is still being made, and another one waits for it already. Let it end first.',
      { shouldRetry: false },
    )
  })
}
