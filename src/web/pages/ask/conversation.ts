import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Executor, withTx } from '../../../db/client.ts'
import { notFound } from '../../../errors.ts'
import { passagesAt } from '../../../sources/library/passages.ts'
import { type ConversationTurn, readTurns } from '../../../turns/reading/conversation.ts'
import { findProject, type Project } from '../../../turns/sessions/projects.ts'
import { deleteSession, findSession, renameSession, type Session } from '../../../turns/sessions/sessions.ts'
import { doneMessage, readFields } from '../../components/forms.ts'
import { signedIn } from '../../components/guards.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { confirmed, emptyState, notice, type Page, sendPage } from '../../components/page.ts'
import { namedId } from '../../components/paging.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { askPages } from './ask.ts'
import { askForm, emptyQuestion, nameOf } from './ask-form.ts'
import type { Library } from './source-views.ts'
import { turnView } from './turn-views.ts'

/** Maximum turns on a page; a link leads to the earlier ones. */
const turnsShown = 8

const query = z.object({
  before: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
  /** Alternates at each reload of a page without scripts, see `lookAgain`. */
  look: z.coerce.number().int().min(0).max(1).default(0),
})
const nameForm = z.object({
  name: z
    .string()
    .max(200)
    .transform((name) => name.replaceAll('\0', '').trim())
    .refine((name) => name !== '', 'a name is needed'),
})

const done = { renamed: 'The conversation has another name now.' }

type Shown = {
  readonly session: Session
  readonly project: Project | undefined
  readonly turns: readonly ConversationTurn[]
  readonly hasEarlier: boolean
  readonly library: Library
}

/** `/ask` and `/sessions/{id}`: questions, and conversations with their sources. */
export function conversationPages(app: FastifyInstance, services: WebServices): void {
  const { database } = services
  askPages(app, services)

  app.get('/sessions/:id', signedIn, async (request, reply) => {
    const { before, look } = readFields(query, request.query)
    const shown = await read(request, before)
    const models = services.catalogue.models.map((model) => model.id)
    const message = doneMessage(request, done)
    return sendPage(request, reply, sessionPage(shown, { models, before, look, message }))
  })

  app.post('/sessions/:id/rename', signedIn, async (request, reply) => {
    const { name } = readFields(nameForm, request.body)
    const id = await withSession(request, async (tx, session) => {
      await renameSession(tx, session, name)
      return session.id
    })
    return reply.redirect(`/sessions/${id}?done=renamed`, 303)
  })

  app.post('/sessions/:id/delete', signedIn, async (request, reply) => {
    const projectId = await withSession(request, async (tx, session) => {
      await deleteSession(tx, session)
      return session.projectId
    })
    return reply.redirect(`/projects/${projectId}?done=session-deleted`, 303)
  })

  function withSession<T>(
    request: FastifyRequest,
    work: (tx: Executor, session: Session) => Promise<T>,
  ): Promise<T> {
    const { principal } = visitorOf(request)
    return withTx(database, principal, async (tx) => {
      const session = await findSession(tx, principal, namedId(request))
      if (!session) throw notFound()
      return work(tx, session)
    })
  }

  async function read(request: FastifyRequest, before: number | undefined): Promise<Shown> {
    const { principal } = visitorOf(request)
    const conversation = await withSession(request, async (tx, session) => ({
      session,
      project: await findProject(tx, principal, session.projectId),
      ...(await readTurns(services, tx, session.id, { limit: turnsShown, before })),
    }))
    return { ...conversation, library: await passagesAt(database.system, refsOf(conversation.turns)) }
  }
}

/** The refs whose passages the sources of these turns show. */
export function refsOf(turns: readonly ConversationTurn[]): readonly string[] {
  return [...new Set(turns.flatMap(({ end }) => end?.sources.map((source) => source.ref) ?? []))]
}

function sessionPage(
  { session, project, turns, hasEarlier, library }: Shown,
  {
    models,
    before,
    look,
    message,
  }: {
    readonly models: readonly string[]
    readonly before: number | undefined
    readonly look: number
    readonly message: string | undefined
  },
): Page {
  const values = { ...emptyQuestion, session: session.id, model: session.model }
  const choices = { models, projects: [], sessions: [] }
  return {
    title: nameOf(session),
    section: 'ask',
    wide: true,
    sheets: ['conversation', 'sources', 'files'],
    scripts: ['follow-run.js'],
    main: html`${project ? html`<p class="crumb"><a href="/projects/${project.id}" dir="auto">${project.name}</a></p>` : nothing}
<div class="head conversation-head"><h1 dir="auto">${nameOf(session)}</h1>${sessionActions(session)}</div>
${message ? notice('done', message) : nothing}
${hasEarlier ? html`<p class="pager earlier"><a href="/sessions/${session.id}?before=${turns[0]?.run.turn ?? 1}">Earlier questions</a></p>` : nothing}
${turns.length === 0 ? emptyState('Nothing asked yet', 'Write the first question below.') : turns.map((turn, i) => html`${i === turns.length - 1 ? html`<span id="last"></span>` : nothing}${turnView(turn, library)}`)}
${before === undefined ? nothing : html`<p class="pager"><a href="/sessions/${session.id}#last">The newest questions</a></p>`}
${turns.every(({ end }) => end) ? nothing : lookAgain(session, look)}
<p class="sr" id="announcement" role="status"></p>
<section aria-label="Go on">${askForm(choices, values, true)}</section>`,
  }
}

/**
 * Reloads a page without scripts. The URL must differ, because the browser would only scroll to a `#` of the
 * same URL.
 */
function lookAgain({ id }: Session, look: number): Html {
  return html`<noscript><meta http-equiv="refresh" content="3; url=/sessions/${id}?look=${1 - look}#last"></noscript>`
}

function sessionActions(session: Session): Html {
  return html`<div class="actions">
<details class="confirm rename"><summary class="button quiet">Rename</summary>
<form method="post" action="/sessions/${session.id}/rename"><label>Name of the conversation <input name="name" required maxlength="200" value="${session.name}" dir="auto" autocomplete="off"></label><button>Save the name</button></form></details>
${confirmed({
  label: 'Delete',
  question:
    'The questions, answers and steps of this conversation are removed for good. Files that it made stay.',
  action: `/sessions/${session.id}/delete`,
  yes: 'Yes, delete it',
})}</div>`
}
