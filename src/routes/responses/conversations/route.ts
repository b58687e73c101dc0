import { z } from 'zod'
import type { Principal } from '../../../accounts/principal.ts'
import { type Executor, withTx } from '../../../db/client.ts'
import { invalidValue, notFound } from '../../../errors.ts'
import { principalOf, resourceOf } from '../../../http/auth.ts'
import type { ResourceLookup } from '../../../http/connection/fastify.ts'
import { atMost, bodyBytes, boundedList, bounds } from '../../../http/limits/bounds.ts'
import type { MessageReads } from '../../../http/limits/message-reads.ts'
import { listBody, pageQuery, unixSeconds } from '../../../http/lists.ts'
import { type BodyOf, deletedOf, instant, type RouteDocs } from '../../../http/openapi/docs.ts'
import type { Api } from '../../../http/openapi/zod.ts'
import type { Services } from '../../../turns/services.ts'
import {
  addMessages,
  deleteMessage,
  findMessage,
  setMetadata,
} from '../../../turns/sessions/conversations.ts'
import {
  createSession,
  deleteSession,
  findSession,
  listMessages,
  type Session,
  type StoredMessage,
} from '../../../turns/sessions/sessions.ts'
import { readAttachments } from '../../turn-request/attachments.ts'
import { requireTextWithin } from '../../turn-request/field-schemas.ts'
import { toModelMessages } from '../../turn-request/messages.ts'
import { readOptions } from '../../turn-request/options.ts'
import { conversationId, messageOfItem, sessionIdOf } from '../ids.ts'
import { inputItem, readItems } from '../input/items.ts'
import { toChatMessages } from '../input/messages.ts'
import { itemList, itemsOf, listItems, storedItem } from '../output/items.ts'

/** The pairs that a client notes about a conversation. OpenAI has the same limits. */
const metadata = z
  .record(
    z.string().max(bounds.pairName.max, atMost(bounds.pairName)),
    z.string().max(bounds.pairText.max, atMost(bounds.pairText)),
  )
  .refine((pairs) => Object.keys(pairs).length <= bounds.pairs.max, atMost(bounds.pairs))
  .meta({ maxProperties: bounds.pairs.max })

/** `readItems` checks the items, because its errors say more than those of a union. */
const items = boundedList(z.unknown(), bounds.addedItems)

const createBody = z.looseObject({ items: items.nullish(), metadata: metadata.nullish() })

const updateBody = z.looseObject({ metadata: metadata.nullable() })

const addBody = z.looseObject({ items: items.min(1, 'must not be empty') })

const conversationSchema = z
  .object({
    id: z.string(),
    object: z.literal('conversation'),
    created_at: instant,
    metadata: z.record(z.string(), z.string()),
    x_service: z.object({ session_id: z.string(), project_id: z.string() }),
  })
  .meta({ id: 'Conversation' })

const conversationDeleted = deletedOf('conversation.deleted').meta({ id: 'ConversationDeleted' })

/** The session behind the conversation that the path names. */
const namedConversation: ResourceLookup = (tx, principal, id) => findSession(tx, principal, sessionIdOf(id))

function conversationBody(session: Session): BodyOf<typeof conversationSchema> {
  return {
    id: conversationId(session.id),
    object: 'conversation',
    created_at: unixSeconds(session.createdAt),
    metadata: session.metadata ?? {},
    x_service: { session_id: session.id, project_id: session.projectId },
  }
}

/** Items of a request, checked, as a function that adds them to a conversation. */
type ItemsToAdd = (tx: Executor, principal: Principal, session: Session) => Promise<readonly StoredMessage[]>

/**
 * Reads the items of a request. Files may be inside.
 * @throws InputError or ServiceError `invalid_value` that names the wrong item.
 */
function readItemsToAdd(sent: readonly unknown[]): ItemsToAdd {
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

const tag = 'Sessions' as const
const itemDocs = {
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

const namedItem: ResourceLookup = async (tx, principal, id, params) => {
  const session = await findSession(tx, principal, sessionIdOf(id))
  const message = session && (await findMessage(tx, session.id, messageOfItem(params['item_id'] ?? '')))
  return message ? { session, message } : undefined
}

/** `/v1/conversations/{id}/items` */
function conversationItemRoutes(app: Api, { database }: Services, reads: MessageReads): void {
  const all = { scope: 'sessions:write' as const, resource: namedConversation }
  const one = { scope: 'sessions:write' as const, resource: namedItem }

  app.post(
    '/conversations/:id/items',
    { config: { ...all, docs: itemDocs.add }, bodyLimit: bodyBytes.turn, schema: { body: addBody } },
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
    { config: { ...all, docs: itemDocs.list }, schema: { querystring: pageQuery } },
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

  app.get(
    '/conversations/:id/items/:item_id',
    { config: { ...one, docs: itemDocs.get } },
    async (request) => {
      const { message } = resourceOf<NamedItem>(request)
      const { item_id: id } = request.params as { readonly item_id: string }
      const item = itemsOf(message).find((found) => found.id === id)
      if (!item) throw notFound()
      return item
    },
  )

  app.delete(
    '/conversations/:id/items/:item_id',
    { config: { ...one, docs: itemDocs.delete } },
    async (request) => {
      const { session, message } = resourceOf<NamedItem>(request)
      await withTx(database, session, (tx) => deleteMessage(tx, message))
      return conversationBody(session)
    },
  )
}

const docs = {
  create: {
    summary: 'Create a conversation',
    description: `A session in the form of OpenAI's API: \`conv_X\` is the session \`sess_X\`. Every field may be left out, and \
the body with them. \`x-service-project-id\` names its project.`,
    body: createBody.extend({ items: z.array(inputItem).max(20).nullish() }),
    example: { metadata: { subject: 'joy' } },
    tag,
    response: conversationSchema,
    errors: ['not_found'],
  },
  get: { summary: 'Get a conversation', tag, response: conversationSchema },
  update: {
    summary: 'Replace the metadata of a conversation',
    example: { metadata: { subject: 'joy' } },
    tag,
    response: conversationSchema,
  },
  delete: {
    summary: 'Delete a conversation with its items and responses',
    description: 'Refused while a response of it is under way.',
    tag,
    response: conversationDeleted,
    errors: ['session_busy', 'account_held'],
  },
} satisfies Record<string, RouteDocs>

/** `/v1/conversations`: sessions, in the form of OpenAI's API. */
export function conversationRoutes(app: Api, services: Services, reads: MessageReads): void {
  const { database, catalogue } = services
  const one = { scope: 'sessions:write' as const, resource: namedConversation }

  app.post(
    '/conversations',
    {
      config: { scope: 'sessions:write', docs: docs.create },
      bodyLimit: bodyBytes.turn,
      schema: { body: z.preprocess((body) => body ?? {}, createBody) },
    },
    async (request) => {
      const principal = principalOf(request)
      const { items, metadata } = request.body
      const projectId = readOptions(request.body, request.headers).sent.project_id ?? undefined
      const add = readItemsToAdd(items ?? [])
      const model = catalogue.models[0]?.id ?? 'service'
      return withTx(database, principal, async (tx) => {
        const input = { model, name: '', projectId, metadata: metadata ?? {} }
        const session = await createSession(tx, principal, input)
        await add(tx, principal, session)
        return conversationBody(session)
      })
    },
  )

  app.get('/conversations/:id', { config: { ...one, docs: docs.get } }, async (request) =>
    conversationBody(resourceOf<Session>(request)),
  )

  app.post(
    '/conversations/:id',
    { config: { ...one, docs: docs.update }, schema: { body: updateBody } },
    async (request) => {
      const session = resourceOf<Session>(request)
      const metadata = request.body.metadata ?? {}
      return conversationBody(await withTx(database, session, (tx) => setMetadata(tx, session, metadata)))
    },
  )

  app.delete(
    '/conversations/:id',
    { config: { ...one, docs: docs.delete } },
    async (request): Promise<BodyOf<typeof conversationDeleted>> => {
      const session = resourceOf<Session>(request)
      await withTx(database, session, (tx) => deleteSession(tx, session))
      return { id: conversationId(session.id), object: 'conversation.deleted', deleted: true }
    },
  )

  conversationItemRoutes(app, services, reads)
}
