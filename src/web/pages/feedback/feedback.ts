import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { notFound } from '../../../errors.ts'
import { findRun } from '../../../turns/run/runs.ts'
import {
  type FeedbackEntry,
  feedbackOf,
  giveFeedback,
  listFeedback,
  maxNote,
  withdrawFeedback,
} from '../../../turns/sessions/feedback.ts'
import { readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { namedId } from '../../components/pager.ts'
import { membersOnly, operatorsOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import { namesOf } from '../ask/library-facts.ts'
import type { WebServices } from '../services.ts'
import { feedbackPage } from './feedback-view.ts'

const form = z.object({
  rating: z.enum(['up', 'down']),
  note: z
    .string()
    // Browsers count a line break as one character, and send two.
    .transform((note) => note.replaceAll('\r\n', '\n').trim().toWellFormed())
    .pipe(z.string().max(maxNote))
    .default(''),
})

const query = z.object({ offset: z.coerce.number().int().min(0).max(1_000_000).default(0) })

/** Entries on one page, and in one file. */
const shown = 50
const exported = 10_000

/** `/runs/{id}/feedback`, and `/operator/feedback` with its export as JSON lines. */
export function feedbackPages(app: FastifyInstance, { database, library }: WebServices): void {
  app.post('/runs/:id/feedback', membersOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const feedback = readFields(form, request.body)
    const run = await withTx(database, principal, async (tx) => {
      const found = await findRun(tx, principal, namedId(request))
      if (!found?.finishedAt) throw notFound()
      const before = (await feedbackOf(tx, [found.id])).get(found.id)
      // The same button again takes the feedback back.
      if (before?.rating === feedback.rating && feedback.note === '') await withdrawFeedback(tx, found.id)
      else await giveFeedback(tx, found, feedback)
      return found
    })
    return reply.redirect(`/sessions/${run.sessionId}#${run.id}`, 303)
  })

  app.get('/operator/feedback', operatorsOnly, async (request, reply) => {
    const { offset } = readFields(query, request.query)
    const found = await listFeedback(database.system, { limit: shown + 1, offset })
    const t = textsOf(request)
    const entries = found.slice(0, shown)
    const page = {
      entries,
      names: await namesOf(
        t,
        library,
        entries.flatMap(({ refs }) => refs),
      ),
      offset,
      next: found.length > shown ? offset + shown : undefined,
    }
    return sendPage(reply, feedbackPage(t, page))
  })

  app.get('/operator/feedback.jsonl', operatorsOnly, async (_request, reply) => {
    const entries = await listFeedback(database.system, { limit: exported })
    const lines = entries.flatMap((entry) => questionLine(entry) ?? [])
    return reply
      .type('application/jsonl; charset=utf-8')
      .header('content-disposition', 'attachment; filename="feedback.jsonl"')
      .send(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  })
}

/** Limits of a question in the file that the command `eval` reads. */
const maxQuestion = 10_000

/** A line of the file that `eval` reads. */
type QuestionLine = {
  readonly id: string
  readonly question: string
  readonly expected?: readonly string[]
  readonly note: string
}

/**
 * The question of a feedback entry for `eval`. The refs of a good answer are those that one expects; of a bad answer
 * nothing is expected, and somebody has to add it. Undefined without a question.
 */
function questionLine({ runId, question, refs, rating, note }: FeedbackEntry): QuestionLine | undefined {
  const asked = question.trim().toWellFormed().replaceAll('\0', '').slice(0, maxQuestion)
  if (asked === '') return undefined
  const judged = rating === 'up' ? 'good answer' : 'bad answer'
  return {
    id: runId,
    question: asked,
    ...(rating === 'up' && refs.length > 0 && { expected: refs.slice(0, 100) }),
    note: (note === '' ? judged : `${judged}: ${note}`).slice(0, maxNote),
  }
}
