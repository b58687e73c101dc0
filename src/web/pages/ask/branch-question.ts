import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import type { ModelMessage } from '../../../agent/provider.ts'
import { withTx } from '../../../db/client.ts'
import { notFound } from '../../../errors.ts'
import { findRun } from '../../../turns/run/runs.ts'
import { readConversation } from '../../../turns/run/transcript.ts'
import { recordBranch } from '../../../turns/sessions/branches.ts'
import { readFields } from '../../components/forms.ts'
import { namedId } from '../../components/pager.ts'
import { membersOnly } from '../../components/route-guards.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { askingBy, questionForm, requireQuestion, startQuestion } from './ask-question.ts'

const branchForm = questionForm.pick({ form: true, question: true, model: true, file: true })

/** Messages of the earlier turns that a branch takes along; a request has at most 1,000. */
const maxHistory = 900

/**
 * `/runs/{id}/branch`: asks another question, or the same one again, in place of a turn. The conversation goes on in a
 * new session that begins with the earlier turns, so no answer is lost.
 */
export function branchPages(app: FastifyInstance, services: WebServices): void {
  app.post('/runs/:id/branch', membersOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const asking = askingBy(services, request, reply)
    const input: z.output<typeof branchForm> = readFields(branchForm, request.body)
    const { replaced, history } = await withTx(services.database, principal, async (tx) => {
      const run = await findRun(tx, principal, namedId(request))
      if (!run) throw notFound()
      return { replaced: run, history: beforeQuestion(await readConversation(tx, run)) }
    })
    requireQuestion(input)
    const { id, sessionId, accountId } = await startQuestion(services, principal, {
      input: { ...input, session: '', project: replaced.projectId },
      history: fromQuestion(history.slice(-maxHistory)),
      identity: `${replaced.id} ${JSON.stringify(input)}`,
      asking,
    })
    const branch = { sessionId, accountId, parentId: replaced.sessionId, parentTurn: replaced.turn }
    await withTx(services.database, principal, (tx) => recordBranch(tx, branch))
    return reply.redirect(`/sessions/${sessionId}#${id}`, 303)
  })
}

/** The messages before the last question. The first run of a branch has the earlier turns among its own messages. */
function beforeQuestion(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.slice(
    0,
    messages.findLastIndex(({ role }) => role === 'user'),
  )
}

/** A conversation for a model begins with a question. */
function fromQuestion(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const first = messages.findIndex(({ role }) => role === 'user')
  return first === -1 ? [] : messages.slice(first)
}
