import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { notFound } from '../../../errors.ts'
import { eventPosition, sendRunEvents } from '../../../http/transfers/run-events.ts'
import { type ConversationTurn, readTurn } from '../../../turns/reading/conversation.ts'
import type { CommittedEvent } from '../../../turns/recording/event-log.ts'
import type { Run } from '../../../turns/run/run.ts'
import { isTerminal } from '../../../turns/run/run-events.ts'
import { findRun, requestCancel } from '../../../turns/run/runs.ts'
import { readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { namedId } from '../../components/pager.ts'
import { accountsOnly } from '../../components/route-guards.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import { passagesOf } from '../ask/conversation.ts'
import { turnView } from '../ask/turn-views.ts'
import type { WebServices } from '../services.ts'
import { runPage } from './run-views.ts'

const query = z.object({ starting_after: eventPosition.optional() })

/** `/runs/{id}`: all details of a run, and the events that update the page of a conversation. */
export function runPages(app: FastifyInstance, services: WebServices): void {
  const { database, runner } = services

  app.get('/runs/:id', accountsOnly, async (request, reply) =>
    sendPage(request, reply, runPage(await turnOf(request))),
  )

  app.get('/runs/:id/events', accountsOnly, async (request, reply) => {
    const run = await runOf(request)
    const { starting_after: startingAfter } = readFields(query, request.query)
    return sendRunEvents(services, request, reply, run, { startingAfter, body: eventBody })
  })

  app.get('/runs/:id/turn', accountsOnly, async (request, reply) => {
    const turn = await turnOf(request)
    const library = await passagesOf(services.library, [turn])
    return reply.type('text/html; charset=utf-8').send(String(await turnView(turn, library)))
  })

  app.post('/runs/:id/cancel', accountsOnly, async (request, reply) => {
    const run = await runOf(request)
    await withTx(database, run, (tx) => requestCancel(tx, run.id))
    runner.cancel(run.id)
    return reply.redirect(`/sessions/${run.sessionId}#last`, 303)
  })

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
}

/** The members of an event that the page needs. The page requests the end of the run separately. */
function eventBody({ seq, event }: CommittedEvent): object {
  return isTerminal(event) || event.type === 'file' ? { seq, type: event.type } : { seq, ...event }
}
