import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../../../accounts/principal.ts'
import type { ContentPart, ModelMessage } from '../../../agent/provider.ts'
import { withTx } from '../../../db/client.ts'
import { notFound, ServiceError } from '../../../errors.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { bounds } from '../../../http/limits/bounds.ts'
import { originOf } from '../../../http/origin.ts'
import { newId } from '../../../ids.ts'
import { admitTurn } from '../../../turns/admit/admit-turn.ts'
import { requireModel } from '../../../turns/admit/requested-model.ts'
import { maxQuestion } from '../../../turns/read/shown-messages.ts'
import type { Run } from '../../../turns/run/run.ts'
import { findSession } from '../../../turns/sessions/sessions.ts'
import { manyTexts } from '../../components/forms.ts'
import type { WebServices } from '../services.ts'
import { emptyQuestion } from './ask-form.ts'

const text = (most: number) =>
  z
    .string()
    .max(most)
    .transform((value) => value.replaceAll('\0', '\ufffd').toWellFormed())

/** The fields of the form for a question. */
export const questionForm = z.object({
  /** Id of the form; a form that is sent twice starts one turn. */
  form: text(100),
  /** `requireQuestion` bounds it, because a refusal of the form would lose the text. */
  question: text(bounds.otherBody.max * 1024 * 1024).transform((value) =>
    value.replaceAll('\r\n', '\n').trim(),
  ),
  model: text(100),
  /** Empty: a new conversation. */
  session: text(100).default(''),
  /** Project of a new conversation; empty: the default project of the pages. */
  project: text(100).default(''),
  /** Ids of uploaded files that the question is about. */
  file: manyTexts,
})

export type Question = z.output<typeof questionForm>

/** @throws ServiceError `invalid_value` for a question that is empty or too long. The form is then shown again. */
export function requireQuestion({ question }: Pick<Question, 'question'>): void {
  if (question === '') throw new ServiceError('invalid_value', 'Write a question first.')
  if (question.length <= maxQuestion) return
  const most = maxQuestion.toLocaleString('en-US')
  throw new ServiceError(
    'invalid_value',
    `The question has more than ${most} characters. Shorten it, or attach the text as a file.`,
  )
}

/** The request that asks: its end, and the address under which it reached the service. */
export type Asking = { readonly left: AbortSignal; readonly origin: string }

/** @param reply to the request. */
export function askingBy(services: WebServices, request: FastifyRequest, reply: FastifyReply): Asking {
  return { left: disconnectSignal(reply), origin: originOf(services, request) }
}

/**
 * Starts the turn of a question asked on the pages, or finds the one that the same form has started before.
 * @throws what `admitTurn` throws; `not_found` for a session that the account cannot access.
 */
export async function askQuestion(
  services: WebServices,
  principal: Principal,
  input: Question,
  asking: Asking,
): Promise<Run> {
  if (input.session !== '') {
    const session = await withTx(services.database, principal, (tx) =>
      findSession(tx, principal, input.session),
    )
    if (!session) throw notFound()
  }
  return startQuestion(services, principal, { input, history: [], identity: JSON.stringify(input), asking })
}

/**
 * Starts a new conversation with a question that somebody wrote before signing in.
 * @throws what `admitTurn` throws.
 */
export function askVisitorsQuestion(
  services: WebServices,
  principal: Principal,
  question: string,
  asking: Asking,
): Promise<Run> {
  const { models } = services.catalogue
  const model = models.find(({ id }) => id === emptyQuestion.model) ?? models.find(({ isLite }) => !isLite)
  const form = { ...emptyQuestion, question, model: model?.id ?? '', form: newId('request'), file: [] }
  return askQuestion(services, principal, form, asking)
}

/**
 * Starts the turn of a question.
 * @param asked.history earlier messages, for a new session.
 * @param asked.identity two questions with the same one start one turn. It has the id of the form, so a form that is
 *   sent again with another question starts another turn.
 * @throws what `admitTurn` throws.
 */
export async function startQuestion(
  services: WebServices,
  principal: Principal,
  asked: {
    readonly input: Question
    readonly history: readonly ModelMessage[]
    readonly identity: string
    readonly asking: Asking
  },
): Promise<Run> {
  const { input, history, identity, asking } = asked
  const model = requireModel(services, input.model)
  const messages = [...history, { role: 'user' as const, content: contentOf(input) }]
  const hash = createHash('sha256').update(identity).digest()
  const { run } = await admitTurn(services, principal, {
    model: model.id,
    messages,
    attachments: {
      ids: new Set(input.file),
      inline: new Map(),
      readsImages: model.readsImages,
      param: 'file',
    },
    sessionId: input.session === '' ? undefined : input.session,
    projectId: input.project === '' ? undefined : input.project,
    request: {
      sampling: {},
      clientTools: [],
      toolChoice: 'auto',
      sources: 'numbered',
      origin: asking.origin,
    },
    identity: { hash, key: hash.toString('hex'), retried: false },
    onDisconnect: 'continue',
    left: asking.left,
  })
  return run
}

/** The question, after the files that it is about. */
function contentOf({ question, file }: Question): string | readonly ContentPart[] {
  if (file.length === 0) return question
  return [
    ...file.map((fileId) => ({ type: 'file' as const, fileId })),
    { type: 'text' as const, text: question },
  ]
}
