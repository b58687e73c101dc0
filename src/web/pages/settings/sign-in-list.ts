import type { FastifyInstance } from 'fastify'
import { endAllWebSessions, endWebSession } from '../../../accounts/sign-in/web-sessions.ts'
import { withTx } from '../../../db/client.ts'
import { ownPerson } from '../../components/route-guards.ts'
import { clearCookie } from '../../visitors/cookies.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'

/** `/settings/account/sign-ins`: signs out one browser or all of them. The account page has the list. */
export function signInListPages(app: FastifyInstance, services: WebServices): void {
  const { database } = services

  app.post<{ Params: { id: string } }>(
    '/settings/account/sign-ins/:id/end',
    ownPerson,
    async (request, reply) => {
      const { person: account } = visitorOf(request)
      await withTx(database, 'system', (tx) => endWebSession(tx, account.id, request.params.id))
      return reply.redirect('/settings/account?done=signed-out-one', 303)
    },
  )

  app.post('/settings/account/sign-ins/end', ownPerson, async (request, reply) => {
    const { person: account } = visitorOf(request)
    await withTx(database, 'system', (tx) => endAllWebSessions(tx, account.id))
    clearCookie(request, reply, services, 'session')
    return reply.redirect('/signin?done=signed-out-everywhere', 303)
  })
}
