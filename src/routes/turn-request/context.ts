import type { FastifyRequest } from 'fastify'
import { type Principal, requireScope } from '../../accounts/principal.ts'
import { withTx } from '../../db/client.ts'
import { invalidValue, notFound } from '../../errors.ts'
import { principalOf } from '../../http/auth.ts'
import type { Api } from '../../http/openapi/zod.ts'
import type { Services } from '../../turns/services.ts'
import { findProject } from '../../turns/sessions/projects.ts'
import { findSession } from '../../turns/sessions/sessions.ts'
import { type OptionParams, optionsOf, readOptions, type ServiceOptions } from './options.ts'

/** Session, project and options of a turn. */
export type TurnContext = {
  readonly options: ServiceOptions
  /** Without the defaults of the key: a retry is the same request after a default was changed. */
  readonly ownOptions: ServiceOptions
  /** Where the request names them, for error messages. */
  readonly params: OptionParams
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `resolveContext`. */
    turnContext: TurnContext | null
  }
}

/** Adds the property that `resolveContext` sets to the requests of routes that start turns. */
export function decorateTurnRequests(app: Api): void {
  if (!app.hasRequestDecorator('turnContext')) app.decorateRequest('turnContext', null)
}

/** @throws Error when the route has not called `resolveContext`. */
export function turnContextOf(request: FastifyRequest): TurnContext {
  if (!request.turnContext) throw new Error('this route resolves no context')
  return request.turnContext
}

/**
 * Reads the options of the turn into `request.turnContext`.
 * @param sessionId the session that a field of the API itself names.
 * @throws ServiceError `not_found` when the key may not see the named session or project. `invalid_value` when two
 *   sessions are named.
 */
export async function resolveContext(
  services: Services,
  request: FastifyRequest,
  sessionId?: string,
): Promise<void> {
  const principal = principalOf(request)
  const { sent, params } = readOptions(request.body, request.headers)
  if (sessionId !== undefined && (sent.session_id ?? sessionId) !== sessionId) {
    throw invalidValue(
      '`conversation` and `session_id` name two sessions. Leave out one of the two.',
      'conversation',
    )
  }
  const placed = sessionId === undefined ? sent : { ...sent, session_id: sessionId }
  const options = optionsOf(placed, principal.defaults)
  request.turnContext = { options, ownOptions: optionsOf(sent), params }
  await requireContext(services, principal, options, {
    session: sessionId === undefined ? params.session_id : 'conversation',
    project: params.project_id,
  })
}

/**
 * Checks that the principal may use the named session and project.
 * @param params the fields that name them, for error messages.
 * @throws ServiceError `not_found` when it may not see one of them, `missing_scope`, or `invalid_value` when the
 *   session belongs to another project.
 */
export async function requireContext(
  services: Pick<Services, 'database'>,
  principal: Principal,
  { sessionId, projectId }: Pick<ServiceOptions, 'sessionId' | 'projectId'>,
  params: { readonly session: string | undefined; readonly project: string | undefined },
): Promise<void> {
  if (sessionId === undefined && projectId === undefined) return
  const { session, project } = await withTx(services.database, principal, async (tx) => ({
    session: sessionId === undefined ? null : await findSession(tx, principal, sessionId),
    project: projectId === undefined ? null : await findProject(tx, principal, projectId),
  }))
  if (session === undefined) throw notFound(params.session)
  if (project === undefined) throw notFound(params.project)
  if (session) requireScope(principal, 'sessions:write')
  if (session && project && session.projectId !== project.id) {
    throw invalidValue(
      'The session belongs to another project. Leave out one of the two.',
      params.project ?? 'project_id',
    )
  }
}
