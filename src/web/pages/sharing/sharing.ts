import type { FastifyInstance } from 'fastify'
import { withTx } from '../../../db/client.ts'
import { notFound } from '../../../errors.ts'
import { findSharedSession, shareSession, unshareSession } from '../../../turns/sessions/shared-sessions.ts'
import { sendPage } from '../../components/page.ts'
import { accountsOnly, openToAll } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { libraryFacts } from '../ask/library-facts.ts'
import { readWithEarlier } from '../ask/turn-extras.ts'
import { withNamedSession } from '../named-session.ts'
import type { WebServices } from '../services.ts'
import { sharedPage } from './shared-view.ts'

/** Maximum turns that a link shows. */
const maxTurns = 50

/** `/sessions/{id}/share` and `/shared/{token}`: a conversation that anybody with its link can read. */
export function sharingPages(app: FastifyInstance, services: WebServices): void {
  const { database } = services

  app.post('/sessions/:id/share', accountsOnly, async (request, reply) => {
    const id = await withNamedSession(database, request, async (tx, session) => {
      await shareSession(tx, services.peppers, session)
      return session.id
    })
    return reply.redirect(`/sessions/${id}?done=shared`, 303)
  })

  app.post('/sessions/:id/unshare', accountsOnly, async (request, reply) => {
    const id = await withNamedSession(database, request, async (tx, session) => {
      await unshareSession(tx, session)
      return session.id
    })
    return reply.redirect(`/sessions/${id}?done=unshared`, 303)
  })

  app.get<{ Params: { token: string } }>('/shared/:token', openToAll, async (request, reply) => {
    // Search engines and the pages that it links to do not learn of the link.
    reply.headers({ 'x-robots-tag': 'noindex, nofollow', 'referrer-policy': 'no-referrer' })
    const shared = await findSharedSession(database.system, request.params.token)
    if (!shared) throw notFound()
    const { session, lastTurn } = shared
    const turns = await withTx(database, session, (tx) =>
      readWithEarlier(services, tx, session.id, { limit: maxTurns, before: lastTurn + 1 }),
    )
    const ended = turns.filter(({ end }) => end !== undefined)
    return sendPage(
      request,
      reply,
      sharedPage(
        textsOf(request),
        session,
        ended,
        await libraryFacts(textsOf(request), services.library, ended),
      ),
    )
  })
}
