import { z } from 'zod'
import type { ModelMessage } from '../../agent/provider.ts'
import { withTx } from '../../db/client.ts'
import { invalidValue, ServiceError } from '../../errors.ts'
import { principalOf, resourceOf } from '../../http/auth.ts'
import { atMost, boundedText, bounds } from '../../http/limits/bounds.ts'
import type { MessageReads } from '../../http/limits/message-reads.ts'
import { listBody, nextPageLink, pageQuery, unixSeconds } from '../../http/lists.ts'
import { type BodyOf, deletedOf, instant, listOf, type RouteDocs } from '../../http/openapi/docs.ts'
import { wholeNumber } from '../../http/openapi/whole-number.ts'
import { type Api, idText } from '../../http/openapi/zod.ts'
import { listRuns } from '../../turns/run/runs.ts'
import { textOf } from '../../turns/run/transcript.ts'
import type { Services } from '../../turns/services.ts'
import {
  createSession,
  deleteSession,
  findSession,
  listMessages,
  listSessions,
  renameSession,
  type Session,
  type StoredMessage,
} from '../../turns/sessions/sessions.ts'
import { toolCall } from '../turn-reply/turn-schema.ts'
import { runBody, runSchema } from './runs.ts'

const sessionSchema = z
  .object({
    id: z.string(),
    object: z.literal('agent.session'),
    model: z.string(),
    projectId: z.string(),
    name: z.string().describe('Empty until the first turn names it'),
    created_at: instant,
  })
  .meta({ id: 'Session' })

const sessionList = listOf(sessionSchema).meta({ id: 'SessionList' })

const sessionDeleted = deletedOf('agent.session').meta({ id: 'SessionDeleted' })

const messageSchema = z
  .object({
    id: z.string(),
    object: z.literal('agent.message'),
    session_id: z.string(),
    run_id: z.string().describe('Empty for a message that was added without a turn'),
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    content: z.string(),
    tool_call_id: z.string().optional().describe('In a message of role `tool`'),
    tool_calls: z.array(toolCall).optional(),
    created_at: instant,
  })
  .meta({ id: 'Message' })

const messageList = listOf(messageSchema).meta({ id: 'MessageList' })

const name = z.string().trim().max(bounds.title.max, atMost(bounds.title))

const newSession = z.object({
  model: boundedText(bounds.name).min(1).nullish().describe('Default: that of the key, otherwise `service`'),
  projectId: idText.nullish(),
  project_id: idText.nullish().describe('The same as `projectId`, as other requests name it'),
  name: name.nullish(),
})

/** @throws ServiceError `invalid_value` if both forms of the field name a project, and not the same one. */
function projectOf({ projectId, project_id: sameId }: z.output<typeof newSession>): string | undefined {
  if (projectId && sameId && projectId !== sameId) {
    const message = '`projectId` and `project_id` name different projects. Send one of them.'
    throw invalidValue(message, 'project_id')
  }
  return projectId ?? sameId ?? undefined
}

const newName = z.object({
  name: name.min(1).nullable().describe('Null: it is named by its first question again'),
})

const runList = z.array(runSchema)

/** The list is a bare array, so a header tells whether more follow. */
const runsQuery = pageQuery.extend({
  limit: wholeNumber(1, 1_000).default(1_000),
  order: z.enum(['asc', 'desc']).default('asc'),
})

const tag = 'Sessions' as const
const docs = {
  create: {
    summary: 'Create a session',
    example: { name: 'On joy' },
    description: 'Every field may be left out, and the body with them.',
    tag,
    response: sessionSchema,
    errors: ['not_found', 'model_not_found'],
  },
  list: { summary: 'List sessions', tag, response: sessionList, errors: ['not_found'] },
  get: { summary: 'Get a session', tag, response: sessionSchema },
  rename: { summary: 'Rename a session', example: { name: 'On joy' }, tag, response: sessionSchema },
  delete: {
    summary: 'Delete a session with its messages and runs',
    description: 'Refused while a run of it is under way.',
    tag,
    response: sessionDeleted,
    errors: ['session_busy', 'account_held'],
  },
  messages: { summary: 'List the messages of a session', tag, response: messageList },
  runs: {
    summary: 'List the runs of a session',
    description:
      'A bare array, in the order of their turns. A page has at most `limit` runs and about 4 MiB. If more runs follow, the header `Link` names the next page: the same address with `after` and the id of the last run.',
    tag,
    response: runList,
    replyHeaders: { link: 'Address of the next page, with `rel="next"`; absent on the last page.' },
  },
} satisfies Record<string, RouteDocs>

/** `/v1/agent/sessions` and the routes below one session. */
export function sessionRoutes(app: Api, services: Services, reads: MessageReads): void {
  collectionRoutes(app, services)
  itemRoutes(app, services, reads)
}

function collectionRoutes(app: Api, services: Services): void {
  const { database } = services

  app.post(
    '/agent/sessions',
    {
      config: { scope: 'sessions:write', docs: docs.create },
      schema: { body: z.preprocess((body) => body ?? {}, newSession) },
    },
    async (request) => {
      const principal = principalOf(request)
      const { name } = request.body
      const projectId = projectOf(request.body)
      const model = request.body.model ?? principal.defaults?.model ?? 'service'
      if (!services.catalogue.find(model)) {
        throw new ServiceError(
          'model_not_found',
          `There is no model "${model}". GET /v1/models lists the models.`,
          { param: 'model' },
        )
      }
      const input = { model, name: name ?? '', projectId }
      return sessionBody(await withTx(database, principal, (tx) => createSession(tx, principal, input)))
    },
  )

  app.get(
    '/agent/sessions',
    {
      config: { scope: 'sessions:write', docs: docs.list },
      schema: { querystring: pageQuery.extend({ project_id: idText.optional() }) },
    },
    async (request): Promise<BodyOf<typeof sessionList>> => {
      const principal = principalOf(request)
      const { project_id: projectId } = request.query
      const { items, hasMore } = await withTx(database, principal, (tx) =>
        listSessions(tx, principal, request.query, projectId),
      )
      return listBody(items.map(sessionBody), hasMore)
    },
  )
}

function itemRoutes(app: Api, { database }: Services, reads: MessageReads): void {
  const one = { scope: 'sessions:write' as const, resource: findSession }

  app.get('/agent/sessions/:id', { config: { ...one, docs: docs.get } }, async (request) =>
    sessionBody(resourceOf<Session>(request)),
  )

  app.patch(
    '/agent/sessions/:id',
    { config: { ...one, docs: docs.rename }, schema: { body: newName } },
    async (request) => {
      const session = resourceOf<Session>(request)
      const { name } = request.body
      return sessionBody(await withTx(database, session, (tx) => renameSession(tx, session, name)))
    },
  )

  app.delete(
    '/agent/sessions/:id',
    { config: { ...one, docs: docs.delete } },
    async (request): Promise<BodyOf<typeof sessionDeleted>> => {
      const session = resourceOf<Session>(request)
      await withTx(database, session, (tx) => deleteSession(tx, session))
      return { id: session.id, object: 'agent.session', deleted: true }
    },
  )

  app.get(
    '/agent/sessions/:id/messages',
    {
      config: { ...one, docs: docs.messages },
      schema: { querystring: pageQuery.extend({ order: z.enum(['asc', 'desc']).default('asc') }) },
    },
    (request, reply): Promise<BodyOf<typeof messageList>> => {
      const session = resourceOf<Session>(request)
      return reads.run(session.accountId, reply, async () => {
        const { items, hasMore } = await withTx(database, session, (tx) =>
          listMessages(tx, session, request.query),
        )
        return listBody(items.map(messageBody), hasMore)
      })
    },
  )

  app.get(
    '/agent/sessions/:id/runs',
    {
      config: { scope: 'chat:write', resource: findSession, docs: docs.runs },
      schema: { querystring: runsQuery },
    },
    (request, reply): Promise<BodyOf<typeof runList>> => {
      const session = resourceOf<Session>(request)
      return reads.run(session.accountId, reply, async () => {
        const { items, hasMore } = await withTx(database, session, (tx) =>
          listRuns(tx, session.id, request.query),
        )
        const last = items.at(-1)
        if (hasMore && last) reply.header('link', nextPageLink(request, last.id))
        return items.map(runBody)
      })
    },
  )
}

function sessionBody(session: Session): BodyOf<typeof sessionSchema> {
  return {
    id: session.id,
    object: 'agent.session',
    model: session.model,
    projectId: session.projectId,
    name: session.name,
    created_at: unixSeconds(session.createdAt),
  }
}

function messageBody(message: StoredMessage): BodyOf<typeof messageSchema> {
  const content = message.content as ModelMessage
  return {
    id: message.id,
    object: 'agent.message',
    session_id: message.sessionId,
    run_id: message.runId,
    role: content.role,
    content: textOf(content.content),
    ...(content.role === 'tool' && { tool_call_id: content.callId }),
    ...(content.role === 'assistant' &&
      content.toolCalls.length > 0 && {
        tool_calls: content.toolCalls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: call.arguments },
        })),
      }),
    created_at: unixSeconds(message.createdAt),
  }
}
