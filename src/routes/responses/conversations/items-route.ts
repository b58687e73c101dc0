import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { notFound } from '../../../errors.ts'
import { principalOf, resourceOf } from '../../../http/auth.ts'
import type { ResourceLookup } from '../../../http/connection/fastify.ts'
import { bodyBytes } from '../../../http/limits/bounds.ts'
import type { MessageReads } from '../../../http/limits/message-reads.ts'
import { listBody, pageQuery } from '../../../http/lists.ts'
import type { RouteDocs } from '../../../http/openapi/docs.ts'
import type { ZodTypes } from '../../../http/openapi/zod.ts'
import type { Services } from '../../../turns/services.ts'
import { deleteMessage, findMessage } from '../../../turns/sessions/conversations.ts'
import { listMessages, type Session, type StoredMessage } from '../../../turns/sessions/sessions.ts'
import { messageOfItem } from '../ids.ts'
import { inputItem } from '../input/items.ts'
import { itemList, itemsOf, listItems, storedItem } from '../output/items.ts'
import { conversationBody, namedConversation, readItemsToAdd } from './body.ts'
import { addBody, conversationSchema } from './schema.ts'

const tag = 'Sessions' as const
const docs = {
  add: {
    summary: 'Add items to a conversation',
    description:
      'The next response has them in its conversation, after the newest answer. They cost nothing by themselves.',
    body: addBody.extend({ items: z.array(inputItem).min(1).max(20) }),
    example: { items: [{ role: 'user', content: 'I study in the mornings.' }] },
    tag,
    response: itemList,
    errors: ['not_found'],
  },
  list: {
    summary: 'List the items of a conversation',
    description:
      'Answers have no source list. A page can have a few items more than `limit`: the calls of one answer stay together.',
    tag,
    response: itemList,
  },
  get: { summary: 'Get an item of a conversation', tag, response: storedItem },
  delete: {
    summary: 'Delete an item of a conversation',
    description: 'An answer is deleted with its function calls. The response and what it cost stay.',
    tag,
    response: conversationSchema,
    errors: ['session_busy', 'account_held'],
  },
} satisfies Record<string, RouteDocs>

type NamedItem = { readonly session: Session; readonly message: StoredMessage }

const namedItem: ResourceLookup = async (tx, principal, params) => {
  const session = (await namedConversation(tx, principal, params)) as Session | undefined
  const message = session && (await findMessage(tx, session.id, messageOfItem(params['item_id'] ?? '')))
  return message ? { session, message } : undefined
}

/** `/v1/conversations/{id}/items` */
export function conversationItemRoutes(
  root: FastifyInstance,
  { database }: Services,
  reads: MessageReads,
): void {
  const app = root.withTypeProvider<ZodTypes>()
  const all = { scope: 'sessions:write' as const, resource: namedConversation }
  const one = { scope: 'sessions:write' as const, resource: namedItem }

  app.post(
    '/conversations/:id/items',
    { config: { ...all, docs: docs.add }, bodyLimit: bodyBytes.turn, schema: { body: addBody } },
    async (request) => {
      const session = resourceOf<Session>(request)
      const principal = principalOf(request)
      const add = readItemsToAdd(request.body.items)
      const added = await withTx(database, principal, (tx) => add(tx, principal, session))
      return listBody(added.flatMap(itemsOf), false)
    },
  )

  app.get(
    '/conversations/:id/items',
    { config: { ...all, docs: docs.list }, schema: { querystring: pageQuery } },
    (request, reply) => {
      const session = resourceOf<Session>(request)
      return reads.run(session.accountId, reply, () =>
        withTx(database, session, (tx) =>
          listItems(
            request.query,
            (id) => findMessage(tx, session.id, id),
            (page) => listMessages(tx, session, page),
          ),
        ),
      )
    },
  )

  app.get('/conversations/:id/items/:item_id', { config: { ...one, docs: docs.get } }, async (request) => {
    const { message } = resourceOf<NamedItem>(request)
    const { item_id: id } = request.params as { readonly item_id: string }
    const item = itemsOf(message).find((found) => found.id === id)
    if (!item) throw notFound()
    return item
  })

  app.delete(
    '/conversations/:id/items/:item_id',
    { config: { ...one, docs: docs.delete } },
    async (request) => {
      const { session, message } = resourceOf<NamedItem>(request)
      await withTx(database, session, (tx) => deleteMessage(tx, message))
      return conversationBody(session)
    },
  )
}
