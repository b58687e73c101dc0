import type { FastifyRequest } from 'fastify'
import { requireScope } from '../../accounts/principal.ts'
import { withTx } from '../../db/client.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { principalOf } from '../../http/auth.ts'
import { findProject } from '../../turns/sessions/projects.ts'
import { findSession } from '../../turns/sessions/sessions.ts'
import type { Services } from '../services.ts'
import { readOptions } from './options.ts'

/** Whether the session and project that the options name are visible; the options are kept as the request's resource. */
export async function resolveContext(services: Services, request: FastifyRequest): Promise<void> {
  const principal = principalOf(request)
  const options = readOptions(request.body, request.headers)
  request.resource = options
  const { sessionId, projectId } = options
  if (sessionId === undefined && projectId === undefined) return
  const { session, project } = await withTx(services.database, principal, async (tx) => ({
    session: sessionId === undefined ? null : await findSession(tx, principal, sessionId),
    project: projectId === undefined ? null : await findProject(tx, principal, projectId),
  }))
  if (session === undefined || project === undefined) throw notFound()
  if (session) requireScope(principal, 'sessions:write')
  if (session && project && session.projectId !== project.id) {
    throw new ServiceError(
      'invalid_value',
      'The session belongs to another project. Name one of the two only.',
      {
        param: 'project_id',
      },
    )
  }
}
