import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Principal } from '../../../accounts/principal.ts'
import { withTx } from '../../../db/client.ts'
import { notFound } from '../../../errors.ts'
import { admitTurn } from '../../../turns/admission/admit-turn.ts'
import { firstCallMicros, requireModel } from '../../../turns/admission/requested-model.ts'
import type { Run } from '../../../turns/run/run.ts'
import { findSession } from '../../../turns/sessions/sessions.ts'
import type { WebServices } from '../services.ts'

const text = (most: number) =>
  z
    .string()
    .max(most)
    .transform((value) => value.replaceAll('\0', '\ufffd').toWellFormed())

/** The fields of the form for a question. */
export const questionForm = z.object({
  /** Id of the form; a form that is sent twice starts one turn. */
  form: text(100),
  question: text(50_000).transform((value) => value.replaceAll('\r\n', '\n').trim()),
  model: text(100),
  /** Empty: a new conversation. */
  session: text(100).default(''),
  /** Project of a new conversation; empty: the default project of the pages. */
  project: text(100).default(''),
})

export type Question = z.output<typeof questionForm>

/**
 * Starts the turn of a question asked on the pages, or finds the one that the same form has started before.
 * @throws what `admitTurn` throws; `not_found` for a session that the account cannot access.
 */
export async function askQuestion(
  services: WebServices,
  principal: Principal,
  input: Question,
  left: AbortSignal,
): Promise<Run> {
  const model = requireModel(services, input.model)
  const sessionId = input.session === '' ? undefined : input.session
  if (sessionId !== undefined) {
    const session = await withTx(services.database, principal, (tx) => findSession(tx, principal, sessionId))
    if (!session) throw notFound()
  }
  const messages = [{ role: 'user' as const, content: input.question }]
  const hash = createHash('sha256').update(JSON.stringify(input)).digest()
  const { run } = await admitTurn(services, principal, {
    model: model.id,
    firstCallMicros: firstCallMicros(model.price, messages, undefined),
    messages,
    sessionId,
    projectId: input.project === '' ? undefined : input.project,
    request: { sampling: {}, clientTools: [], toolChoice: 'auto', sources: 'numbered' },
    // The hash covers form and question, so a form that is sent again with another question starts another
    // turn.
    identity: { hash, key: hash.toString('hex'), retried: false },
    onDisconnect: 'continue',
    left,
  })
  return run
}
