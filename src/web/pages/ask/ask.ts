import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hasRole } from '../../../accounts/members/members.ts'
import { withTx } from '../../../db/client.ts'
import { ServiceError } from '../../../errors.ts'
import { receiveFile } from '../../../http/transfers/upload.ts'
import { listProjects, ownProjectName } from '../../../turns/sessions/projects.ts'
import { findSession, type Session } from '../../../turns/sessions/sessions.ts'
import { problemOf, readFields, sendFormAgain } from '../../components/forms.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { outcomeNotice, type Page, sendPage } from '../../components/page.ts'
import { accountsOnly, membersOnly } from '../../components/route-guards.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { type AskChoices, type AskValues, askForm, emptyQuestion, nameOf } from './ask-form.ts'
import { askingBy, askQuestion, questionForm, requireQuestion } from './ask-question.ts'
import { type Rail, railButton, readRail, withRail } from './rail.ts'

type Shown = AskChoices & { readonly rail: Rail }

/** `/ask`: the box for a question, and the conversations so far. */
export function askPages(app: FastifyInstance, services: WebServices): void {
  app.get('/ask', accountsOnly, async (request, reply) => {
    const values = valuesOfAddress(request)
    return sendPage(
      reply,
      askPage(textsOf(request), await shownBy(services, request, values.session), values),
    )
  })

  app.post('/ask', membersOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const asking = askingBy(services, request, reply)
    const input = readFields(questionForm, request.body)
    try {
      requireQuestion(input)
      const run = await askQuestion(services, principal, input, asking)
      return reply.redirect(`/sessions/${run.sessionId}#last`, 303)
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') throw error
      return sendFormAgain(reply, error, async (problem) =>
        askPage(textsOf(request), await shownBy(services, request, input.session), input, problem),
      )
    }
  })

  // For the script of the box: it uploads a file before the question is sent, and names it in the form.
  app.post('/ask/files', membersOnly, async (request, reply) => {
    try {
      const { id, name } = await receiveFile(services, request)
      return reply.send({ id, name })
    } catch (error) {
      const { message, status } = problemOf(request, error)
      return reply.status(status).send({ problem: message })
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

async function shownBy(services: WebServices, request: FastifyRequest, named: string): Promise<Shown> {
  const { principal, role } = visitorOf(request)
  const rail = await readRail(services, request)
  return withTx(services.database, principal, async (tx) => {
    const { items } = await listProjects(tx, principal, { limit: 100, order: 'desc' })
    const session = named === '' ? undefined : await findSession(tx, principal, named)
    return {
      models: services.catalogue.models.filter(({ isLite }) => !isLite).map(({ id }) => id),
      projects: items.filter(({ name }) => name !== ownProjectName),
      session,
      isReadOnly: !hasRole(role, 'member'),
      rail,
    }
  })
}

function askPage(t: Texts, shown: Shown, values: AskValues, problem?: string): Page {
  const { rail, session } = shown
  return {
    title: t.frame.ask,
    section: 'ask',
    wide: true,
    sheets: ['conversation', 'composer', 'rail', 'files'],
    scripts: ['composer.js', 'rail.js'],
    main: withRail(
      t,
      rail,
      html`${railButton(t)}<div class="ask-start"><h1>${t.ask.heading}</h1>
${session ? sessionNote(t, session) : nothing}
${outcomeNotice({ problem })}
${askForm(t, shown, values)}
${shown.isReadOnly ? nothing : exampleList(t)}</div>`,
    ),
  }
}

function sessionNote(t: Texts, session: Pick<Session, 'id' | 'name'>): Html {
  const link = html`<a href="/sessions/${session.id}" dir="auto">${nameOf(t, session)}</a>`
  return html`<p>${t.ask.inConversation(link)}</p>`
}

function exampleList({ ask }: Texts): Html {
  const link = (question: string) => {
    const href = `/ask?question=${encodeURIComponent(question)}`
    return html`<li><a href="${href}" data-ask="${question}" dir="auto">${question}</a></li>`
  }
  return html`<p class="faint" id="examples">${ask.examples}</p>
<ul class="row questions" aria-labelledby="examples">${ask.exampleQuestions.map(link)}</ul>`
}
