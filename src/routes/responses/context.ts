import type { FastifyRequest } from 'fastify'
import { requireScope } from '../../accounts/principal.ts'
import { withTx } from '../../db/client.ts'
import { invalidValue, notFound } from '../../errors.ts'
import { principalOf } from '../../http/auth.ts'
import type { ResourceLookup } from '../../http/connection/fastify.ts'
import type { Api } from '../../http/openapi/zod.ts'
import type { Run } from '../../turns/run/run.ts'
import { findStoredRun } from '../../turns/run/runs.ts'
import type { Services } from '../../turns/services.ts'
import { decorateTurnRequests, resolveContext, turnContextOf } from '../turn-request/context.ts'
import type { ServiceOptions } from '../turn-request/options.ts'
import { runIdOf, sessionIdOf } from './ids.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The run behind the response that this request continues. */
    previousRun: Run | null
  }
}

export function decorateResponseRequests(app: Api): void {
  decorateTurnRequests(app)
  app.decorateRequest('previousRun', null)
}

/** The run behind the response that the path names. */
export const namedResponse: ResourceLookup = (tx, principal, id) => findStoredRun(tx, principal, runIdOf(id))

/** Checks the visibility of the named session, project, conversation and response before the other fields. */
export async function resolveResponseContext(services: Services, request: FastifyRequest): Promise<void> {
  const conversation = conversationOf(request.body)
  await resolveContext(services, request, conversation && sessionIdOf(conversation))
  const previous = await previousOf(services, request)
  if (previous) requireAgreement(previous, turnContextOf(request).options)
  request.previousRun = previous ?? null
}

/** The id of the named conversation. Values of other types are refused with the other fields. */
function conversationOf(body: unknown): string | undefined {
  const { conversation, previous_response_id: previous } = (body ?? {}) as Readonly<Record<string, unknown>>
  const id =
    typeof conversation === 'object' && conversation !== null && 'id' in conversation
      ? conversation.id
      : conversation
  if (typeof id !== 'string' || id === '') return undefined
  if (typeof previous !== 'string' || previous === '') return id
  throw invalidValue(
    '`conversation` and `previous_response_id` exclude each other. Leave out one of the two.',
    'conversation',
  )
}

async function previousOf(services: Services, request: FastifyRequest): Promise<Run | undefined> {
  const sent = (request.body as Readonly<Record<string, unknown>> | null | undefined)?.[
    'previous_response_id'
  ]
  // Other values are refused with the other fields.
  if (typeof sent !== 'string' || sent === '') return undefined
  const principal = principalOf(request)
  const run = await withTx(services.database, principal, (tx) => findStoredRun(tx, principal, runIdOf(sent)))
  if (!run) throw notFound('previous_response_id')
  requireScope(principal, 'sessions:write')
  return run
}

function requireAgreement(previous: Run, { sessionId, projectId }: ServiceOptions): void {
  const agrees =
    (sessionId === undefined || sessionId === previous.sessionId) &&
    (projectId === undefined || projectId === previous.projectId)
  if (agrees) return
  throw invalidValue(
    'The previous response belongs to another session or project. Leave out one of the two.',
    'previous_response_id',
  )
}
