import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { principalOf, resourceOf } from '../../../http/auth.ts'
import { bodyBytes } from '../../../http/limits/bounds.ts'
import type { MessageReads } from '../../../http/limits/message-reads.ts'
import type { BodyOf, RouteDocs } from '../../../http/openapi/docs.ts'
import type { ZodTypes } from '../../../http/openapi/zod.ts'
import type { Services } from '../../../turns/services.ts'
import { setMetadata } from '../../../turns/sessions/conversations.ts'
import { createSession, deleteSession, type Session } from '../../../turns/sessions/sessions.ts'
import { readOptions } from '../../turn-request/options.ts'
import { conversationId } from '../ids.ts'
import { inputItem } from '../input/items.ts'
import { conversationBody, namedConversation, readItemsToAdd } from './body.ts'
import { conversationItemRoutes } from './items-route.ts'
import { conversationDeleted, conversationSchema, createBody, updateBody } from './schema.ts'

const tag = 'Sessions' as const
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
export function conversationRoutes(root: FastifyInstance, services: Services, reads: MessageReads): void {
  const app = root.withTypeProvider<ZodTypes>()
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

  conversationItemRoutes(root, services, reads)
}
