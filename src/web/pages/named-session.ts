import type { FastifyRequest } from 'fastify'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { notFound } from '../../errors.ts'
import { findSession, type Session } from '../../turns/sessions/sessions.ts'
import { namedId } from '../components/pager.ts'
import { visitorOf } from '../visitors/visitor.ts'

/**
 * Does `work` in a transaction with the session that the address names.
 * @throws ServiceError `not_found` if the visitor's account has no such session.
 */
export function withNamedSession<T>(
  database: Database,
  request: FastifyRequest,
  work: (tx: Executor, session: Session) => Promise<T>,
): Promise<T> {
  const { principal } = visitorOf(request)
  return withTx(database, principal, async (tx) => {
    const session = await findSession(tx, principal, namedId(request))
    if (!session) throw notFound()
    return work(tx, session)
  })
}
