import type { Principal } from '../../../accounts/principal.ts'
import type { Executor } from '../../../db/client.ts'
import { invalidValue } from '../../../errors.ts'
import type { ResourceLookup } from '../../../http/connection/fastify.ts'
import { unixSeconds } from '../../../http/lists.ts'
import type { BodyOf } from '../../../http/openapi/docs.ts'
import { addMessages } from '../../../turns/sessions/conversations.ts'
import { findSession, type Session, type StoredMessage } from '../../../turns/sessions/sessions.ts'
import { readAttachments } from '../../turn-request/attachments.ts'
import { requireTextWithin } from '../../turn-request/field-schemas.ts'
import { toModelMessages } from '../../turn-request/messages.ts'
import { conversationId, sessionIdOf } from '../ids.ts'
import { readItems } from '../input/items.ts'
import { toChatMessages } from '../input/messages.ts'
import type { conversationSchema } from './schema.ts'

/** The session behind the conversation that the path names. */
export const namedConversation: ResourceLookup = (tx, principal, params) =>
  findSession(tx, principal, sessionIdOf(params['id'] ?? ''))

export function conversationBody(session: Session): BodyOf<typeof conversationSchema> {
  return {
    id: conversationId(session.id),
    object: 'conversation',
    created_at: unixSeconds(session.createdAt),
    metadata: session.metadata ?? {},
    x_service: { session_id: session.id, project_id: session.projectId },
  }
}

/** Items of a request, checked, as a function that adds them to a conversation. */
export type ItemsToAdd = (
  tx: Executor,
  principal: Principal,
  session: Session,
) => Promise<readonly StoredMessage[]>

/**
 * Reads the items of a request. Files may be inside.
 * @throws InputError or ServiceError `invalid_value` that names the wrong item.
 */
export function readItemsToAdd(sent: readonly unknown[]): ItemsToAdd {
  requireTextWithin(sent, 'items')
  const plain = readItems(sent, 'items').map((item) => {
    if (item.type !== 'item_reference') return item
    throw invalidValue('`items`: References are not supported here. Send the items.', 'items')
  })
  const chat = toChatMessages(plain)
  const { attachments, idOf } = readAttachments(chat, true, 'items')
  const messages = toModelMessages(chat, true, idOf)
  return async (tx, principal, session) =>
    messages.length === 0 ? [] : addMessages(tx, principal, session, messages, attachments)
}
