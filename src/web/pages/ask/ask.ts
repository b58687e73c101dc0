import type { FastifyInstance, FastifyRequest } from 'fastify'
import { withTx } from '../../../db/client.ts'
import { ServiceError } from '../../../errors.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { listProjects, ownProjectName } from '../../../turns/sessions/projects.ts'
import { findSession, listSessions } from '../../../turns/sessions/sessions.ts'
import { problemOf, readFields } from '../../components/forms.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, outcomeNotice, type Page, sendPage } from '../../components/page.ts'
import { olderPage, pageOfAddress, pager } from '../../components/pager.ts'
import { accountsOnly } from '../../components/route-guards.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { type AskChoices, type AskValues, askForm, emptyQuestion } from './ask-form.ts'
import { askQuestion, questionForm } from './ask-question.ts'
import { conversationList } from './conversation-list.ts'

type Shown = AskChoices & { readonly hasMore: boolean }

/** `/ask`: the form for a question, and the conversations so far. */
export function askPages(app: FastifyInstance, services: WebServices): void {
  app.get('/ask', accountsOnly, async (request, reply) => {
    const values = valuesOfAddress(request)
    return sendPage(
      request,
      reply,
      askPage(textsOf(request), await shownBy(services, request, values.session), values),
    )
  })

  app.post('/ask', accountsOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const left = disconnectSignal(reply)
    const input = readFields(questionForm, request.body)
    try {
      if (input.question === '') throw new ServiceError('invalid_value', 'Write a question first.')
      const run = await askQuestion(services, principal, input, left)
      return reply.redirect(`/sessions/${run.sessionId}#last`, 303)
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') throw error
      const { message, status } = problemOf(request, error)
      const shown = await shownBy(services, request, input.session)
      return sendPage(request, reply, askPage(textsOf(request), shown, input, message), status)
    }
  })
}

/** A link can preset the question, the project and the conversation. */
function valuesOfAddress(request: FastifyRequest): AskValues {
  const query = request.query as Readonly<Record<string, unknown>>
  const given = (name: string) => {
    const value = query[name]
    return typeof value === 'string' ? value.replaceAll('\0', '').slice(0, 2_000) : ''
  }
  return {
    ...emptyQuestion,
    question: given('question'),
    project: given('project'),
    session: given('session'),
  }
}

function shownBy(services: WebServices, request: FastifyRequest, named: string): Promise<Shown> {
  const { principal } = visitorOf(request)
  const page = pageOfAddress(request)
  return withTx(services.database, principal, async (tx) => {
    const { items, hasMore } = await listSessions(tx, principal, page)
    const projects = await listProjects(tx, principal, { limit: 100, order: 'desc' })
    const missing = named !== '' && !items.some((session) => session.id === named)
    const session = missing ? await findSession(tx, principal, named) : undefined
    return {
      models: services.catalogue.models.map((model) => model.id),
      projects: projects.items,
      sessions: session ? [session, ...items] : items,
      hasMore,
    }
  })
}

const examples = ['What is a beinoni?', 'What does bittul mean?', 'מהי שמחה של מצוה?']

function askPage(t: Texts, shown: Shown, values: AskValues, problem?: string): Page {
  const { sessions, hasMore } = shown
  const choices = { ...shown, projects: shown.projects.filter(({ name }) => name !== ownProjectName) }
  return {
    title: 'Ask',
    section: 'ask',
    sheets: ['conversation', 'files'],
    main: html`<h1>Ask the library</h1>
${outcomeNotice({ problem })}
${askForm(choices, values)}
${sessions.length === 0 ? exampleList() : nothing}
<h2>Conversations</h2>
${sessions.length === 0 ? noConversations : conversationList(t, sessions, shown.projects)}
${pager(olderPage({ items: sessions, hasMore }, '/ask', 'after', t.common.older))}`,
  }
}

const noConversations = emptyState(
  'No conversations yet',
  'Ask a question above. Its conversation appears here, and you can continue it later.',
)

function exampleList(): Html {
  const link = (question: string) =>
    html`<a href="/ask?question=${encodeURIComponent(question)}" dir="auto">${question}</a> `
  return html`<p class="examples"><span class="faint">For example:</span> ${examples.map(link)}</p>`
}
