import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { withTx } from '../../../db/client.ts'
import { notFound } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import { findSharedSession, shareSession, unshareSession } from '../../../turns/sessions/shared-sessions.ts'
import { sendPage } from '../../components/page.ts'
import { membersOnly, openToAll } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { libraryFacts } from '../ask/library-facts.ts'
import { readWithEarlier } from '../ask/turn-extras.ts'
import { withNamedSession } from '../named-session.ts'
import type { WebServices } from '../services.ts'
import { sharedPage } from './sharing-views.ts'

/** Maximum turns that a link shows. */
const maxTurns = 50

/** `/sessions/{id}/share` and `/shared/{token}`: a conversation that anybody with its link can read. */
export function sharingPages(app: FastifyInstance, services: WebServices): void {
  const { database, conversationLimit } = services

  app.post('/sessions/:id/share', membersOnly, async (request, reply) => {
    const id = await withNamedSession(database, request, async (tx, session) => {
      await shareSession(tx, services.peppers, session)
      return session.id
    })
    return reply.redirect(`/sessions/${id}?done=shared`, 303)
  })

  app.post('/sessions/:id/unshare', membersOnly, async (request, reply) => {
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
    const { session } = shared
    const left = disconnectSignal(reply)
    // A link can have any number of readers, and one address can open any number of links.
    return conversationLimit.run(`address ${clientAddress(request)}`, left, () =>
      conversationLimit.run(`links of ${session.accountId}`, left, () => sendShared(request, reply, shared)),
    )
  })

  async function sendShared(
    request: FastifyRequest,
    reply: FastifyReply,
    { session, lastTurn }: { readonly session: Session; readonly lastTurn: number },
  ): Promise<FastifyReply> {
    const turns = await withTx(database, session, (tx) =>
      readWithEarlier(services, tx, session.id, { limit: maxTurns, before: lastTurn + 1 }),
    )
    const ended = turns.filter(({ end }) => end !== undefined)
    const t = textsOf(request)
    const library = await libraryFacts(t, services.library, ended)
    return sendPage(reply, sharedPage(t, session, ended, library))
  }
}
