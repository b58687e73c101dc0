import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressesOf } from '../../../accounts/members/members.ts'
import { withTx } from '../../../db/client.ts'
import { notFound } from '../../../errors.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { type ConversationTurn, readTurn } from '../../../turns/read/conversation.ts'
import { explainRun } from '../../../turns/read/explain.ts'
import type { Run } from '../../../turns/run/run.ts'
import { findRun, requestCancel } from '../../../turns/run/runs.ts'
import { isNavigation, sendPage, sendPart } from '../../components/page.ts'
import { namedId } from '../../components/pager.ts'
import { accountsOnly, membersOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import { libraryFacts, turnNames } from '../ask/library-facts.ts'
import { readExtras } from '../ask/turn-extras.ts'
import { turnView } from '../ask/turn-views.ts'
import type { WebServices } from '../services.ts'
import { sendLiveTurn } from './live-stream.ts'
import { runPage } from './run-views.ts'

/** `/runs/{id}`: all details of a run, and the stream that updates the page of a conversation. */
export function runPages(app: FastifyInstance, services: WebServices): void {
  const { database, runner } = services

  app.get('/runs/:id', accountsOnly, async (request, reply) => {
    const t = textsOf(request)
    return limited(request, reply, async () => {
      const turn = await turnOf(request)
      const names = await turnNames(t, services.library, [turn])
      const why = await withTx(database, turn.run, (tx) => explainRun(tx, turn.run))
      const asker = await otherAsker(request, turn)
      return sendPage(reply, runPage(t, turn, names, { why, asker }))
    })
  })

  app.get('/runs/:id/live', accountsOnly, async (request, reply) =>
    sendLiveTurn(services, textsOf(request), reply, await runOf(request)),
  )

  app.get('/runs/:id/turn', accountsOnly, async (request, reply) => {
    if (isNavigation(request)) {
      const run = await runOf(request)
      return reply.redirect(`/sessions/${run.sessionId}#${run.id}`, 303)
    }
    return limited(request, reply, async () => {
      const turn = await turnOf(request)
      const library = await libraryFacts(textsOf(request), services.library, [turn])
      const extras = await readExtras(services, turn.run, { turns: [turn], isFirst: false })
      return sendPart(reply, turnView(textsOf(request), turn, library, extras))
    })
  })

  app.post('/runs/:id/cancel', membersOnly, async (request, reply) => {
    const run = await runOf(request)
    await withTx(database, run, (tx) => requestCancel(tx, run.id))
    runner.cancel(run.id)
    return reply.redirect(`/sessions/${run.sessionId}#last`, 303)
  })

  function limited<T>(request: FastifyRequest, reply: FastifyReply, work: () => Promise<T>): Promise<T> {
    const { accountId } = visitorOf(request).principal
    return services.conversationLimit.run(accountId, disconnectSignal(reply), work)
  }

  function runOf(request: FastifyRequest): Promise<Run> {
    const { principal } = visitorOf(request)
    return withTx(database, principal, async (tx) => {
      const run = await findRun(tx, principal, namedId(request))
      if (!run) throw notFound()
      return run
    })
  }

  async function turnOf(request: FastifyRequest): Promise<ConversationTurn> {
    const run = await runOf(request)
    return withTx(database, run, (tx) => readTurn(services, tx, run))
  }

  /** Address of the member who asked; undefined for the reader. */
  async function otherAsker(request: FastifyRequest, { run }: ConversationTurn): Promise<string | undefined> {
    const { memberId } = run
    if (memberId === null || memberId === visitorOf(request).person.id) return undefined
    return (await addressesOf(database.system, [memberId])).get(memberId) ?? memberId
  }
}
