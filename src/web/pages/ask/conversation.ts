import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { hasRole } from '../../../accounts/members/members.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { originOf } from '../../../http/origin.ts'
import { type ConversationTurn, readTurns } from '../../../turns/read/conversation.ts'
import type { TerminalEvent } from '../../../turns/run/run-events.ts'
import { findProject, type Project } from '../../../turns/sessions/projects.ts'
import { deleteSession, renameSession, type Session } from '../../../turns/sessions/sessions.ts'
import { findShare, type SharedSession } from '../../../turns/sessions/shared-sessions.ts'
import { confirmDialog } from '../../components/fields.ts'
import { doneMessage, readFields } from '../../components/forms.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, outcomeNotice, type Page, sendPage } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import { accountsOnly, membersOnly } from '../../components/route-guards.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import { withNamedSession } from '../named-session.ts'
import type { WebServices } from '../services.ts'
import { shareForm } from '../sharing/sharing-views.ts'
import { projectName } from '../wording.ts'
import { askPages } from './ask.ts'
import { askForm, conversationTitle, emptyQuestion, nameOf } from './ask-form.ts'
import { branchPages } from './branch-question.ts'
import { libraryFacts } from './library-facts.ts'
import { type Rail, railButton, railPages, readRail, withRail } from './rail.ts'
import { readExtras } from './turn-extras.ts'
import { type LibraryFacts, sharedTurn, turnSheets, turnView } from './turn-views.ts'

/** Turns on one page; a link leads to earlier ones. */
const turnsShown = 8

const query = z.object({
  before: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
  /** A question that the page shows; `before` comes first. */
  at: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
  /** Another one each time that a page without scripts reloads, see `reloadWithoutScripts`. */
  look: z.coerce.number().int().min(0).max(1).default(0),
})
const nameForm = z.object({
  name: z
    .string()
    .max(200)
    .trim()
    .refine((name) => name !== '', 'enter a name'),
})

type Shown = {
  readonly session: Session
  readonly before: number | undefined
  readonly project: Project | undefined
  readonly turns: readonly ConversationTurn[]
  readonly hasEarlier: boolean
  readonly library: LibraryFacts
  readonly rail: Rail
  readonly extras: Awaited<ReturnType<typeof readExtras>>
  readonly share: SharedSession | undefined
  /** Of the addresses that the page shows. */
  readonly origin: string
}

/** `/ask` and `/sessions/{id}`: questions, and conversations with their sources. */
export function conversationPages(app: FastifyInstance, services: WebServices): void {
  const { database } = services
  askPages(app, services)
  railPages(app, services)
  branchPages(app, services)

  app.get('/sessions/:id', accountsOnly, async (request, reply) => {
    const { look, ...place } = readFields(query, request.query)
    const { principal, role } = visitorOf(request)
    return services.conversationLimit.run(principal.accountId, disconnectSignal(reply), async () => {
      const shown = await read(request, place)
      const { before } = shown
      const models = services.catalogue.models.filter(({ isLite }) => !isLite).map(({ id }) => id)
      const t = textsOf(request)
      const { renamed, shared, unshared } = t.ask
      const message = doneMessage(request, { renamed, shared, unshared })
      return sendPage(
        reply,
        sessionPage(t, shown, { models, before, look, message, isReadOnly: !hasRole(role, 'member') }),
      )
    })
  })

  app.post('/sessions/:id/rename', membersOnly, async (request, reply) => {
    const { name } = readFields(nameForm, request.body)
    const id = await withNamedSession(database, request, async (tx, session) => {
      await renameSession(tx, session, name)
      return session.id
    })
    return reply.redirect(`/sessions/${id}?done=renamed`, 303)
  })

  app.post('/sessions/:id/delete', membersOnly, async (request, reply) => {
    const projectId = await withNamedSession(database, request, async (tx, session) => {
      await deleteSession(tx, session)
      return session.projectId
    })
    return reply.redirect(`/projects/${projectId}?done=session-deleted`, 303)
  })

  async function read(request: FastifyRequest, place: Place): Promise<Shown> {
    const { principal } = visitorOf(request)
    const conversation = await withNamedSession(database, request, async (tx, session) => {
      const before = beforeOf(session, place)
      return {
        session,
        before,
        project: await findProject(tx, principal, session.projectId),
        share: await findShare(tx, services.peppers, session.id),
        ...(await readTurns(services, tx, session.id, { limit: turnsShown, before })),
      }
    })
    const { session, turns, hasEarlier } = conversation
    const owner = { accountId: session.accountId, sessionId: session.id }
    const extras = await readExtras(services, owner, { turns, isFirst: !hasEarlier })
    return {
      ...conversation,
      library: await libraryFacts(textsOf(request), services.library, [...extras.earlier, ...turns]),
      rail: await readRail(services, request, session.id),
      extras,
      origin: originOf(services, request),
    }
  }
}

/** Of an end that a reader who opens the page has not heard of yet. */
const recentMs = 10_000

type Place = { readonly before?: number | undefined; readonly at?: number | undefined }

/** The first turn after those of the page; undefined for the newest ones. */
function beforeOf({ turnCount }: Session, { before, at }: Place): number | undefined {
  if (before !== undefined || at === undefined) return before
  return at <= turnCount - turnsShown ? at + 1 : undefined
}

function sessionPage(
  t: Texts,
  shown: Shown,
  asked: {
    readonly models: readonly string[]
    readonly isReadOnly: boolean
    readonly before: number | undefined
    readonly look: number
    readonly message: string | undefined
  },
): Page {
  const { session, project, turns, hasEarlier } = shown
  const path = `/sessions/${session.id}`
  const values = { ...emptyQuestion, session: session.id, model: session.model }
  const choices = { models: asked.models, projects: [], session, isReadOnly: asked.isReadOnly }
  return {
    title: nameOf(t, session),
    section: 'ask',
    hasSecret: shown.share !== undefined,
    wide: true,
    sheets: [...turnSheets, 'composer', 'rail', 'files', 'answer-actions', 'menus'],
    scripts: [
      'composer.js',
      'rail.js',
      'follow-run.js',
      'copy.js',
      'feedback.js',
      'ref-preview.js',
      'menus.js',
      'add-to-sheet.js',
      'print.js',
      'source-sheet.js',
    ],
    main: withRail(
      t,
      shown.rail,
      html`<div class="conversation-head">${railButton(t)}${project ? projectCrumb(t, project) : nothing}
${shareForm(t, session, shown.share, shown.origin)}${actionMenu(t, session)}</div>
${conversationTitle(t, session, shown.extras.earlier[0] ?? turns[0])}
${branchNote(t, shown)}
${earlierTurns(t, shown)}
${outcomeNotice({ done: asked.message })}
${pager(hasEarlier && { label: t.ask.earlier, href: `${path}?before=${turns[0]?.run.turn ?? 1}` })}
${turnList(t, shown)}
${pager(asked.before !== undefined && { label: t.ask.newest, href: `${path}#last` })}
${turns.every(({ end }) => end) ? nothing : reloadWithoutScripts(session, asked.look)}
${announcementPlace(t, turns)}
<section class="dock" aria-label="${t.ask.followUp}">${askForm(t, choices, values)}</section>`,
    ),
  }
}

function projectCrumb(t: Texts, { id, name }: Project): Html {
  return html`<p class="crumb"><a href="/projects/${id}" dir="auto">${projectName(t, name)}</a></p>`
}

/** The turns; the last one has an anchor before it. */
function turnList(t: Texts, { turns, library, extras }: Shown): Html {
  if (turns.length === 0) return emptyState(t.ask.noQuestions, t.ask.noQuestionsHint)
  const anchor = html`<span id="last"></span>`
  return html`${turns.map((turn, i) => {
    const before = i === turns.length - 1 ? anchor : nothing
    return html`${before}${turnView(t, turn, library, extras)}`
  })}`
}

/**
 * Where screen readers hear of ends. A short answer can end before its page is loaded: the script says that afterwards.
 */
function announcementPlace({ answers }: Texts, turns: readonly ConversationTurn[]): Html {
  const { status, finishedAt } = turns.at(-1)?.run ?? {}
  const isRecent = finishedAt && Date.now() - finishedAt.getTime() < recentMs
  const ended = isRecent ? answers.ends[`run.${status}` as TerminalEvent['type']] : undefined
  return html`<p class="sr" id="announcement" role="status"${ended ? html` data-ended="${ended}"` : nothing}></p>`
}

/** To an address that differs, since the same one with a `#` would only be scrolled to. */
function reloadWithoutScripts({ id }: Session, look: number): Html {
  const address = `/sessions/${id}?look=${1 - look}#last`
  return html`<noscript><meta http-equiv="refresh" content="3; url=${address}"></noscript>`
}

/** Says which conversation this one continues. */
function branchNote(t: Texts, { extras: { parent } }: Shown): Html {
  if (!parent || parent.turn === 1) return nothing
  const link = html`<a href="/sessions/${parent.id}" dir="auto">${nameOf(t, parent)}</a>`
  return html`<p class="faint">${t.ask.continues(link, parent.turn)}</p>`
}

/** The turns before a branch, which can be read here and changed in their own conversation. */
function earlierTurns(t: Texts, { extras: { earlier }, library }: Shown): Html {
  if (earlier.length === 0) return nothing
  const { earlierQuestion, earlierSources } = t.answers
  return html`<section aria-label="${t.ask.earlier}">${earlier.map((turn, i) =>
    sharedTurn(t, turn, library, { question: earlierQuestion(i + 1), sources: earlierSources(i + 1) }),
  )}</section>`
}

const formats = ['md', 'docx', 'pdf'] as const

function actionMenu(t: Texts, { id, name }: Session): Html {
  const { ask, common, sheets } = t
  return html`<details class="menu"><summary class="button quiet" aria-label="${ask.actions}">⋯</summary>
<ul class="menu-body menu-list">
<li><button type="button" data-print hidden>${sheets.print}</button></li>
${formats.map(
  (format) =>
    html`<li><a href="/sessions/${id}/export?format=${format}" download>${ask.formats[format]}</a></li>`,
)}
<li>${confirmDialog(t, {
    label: common.rename,
    action: `/sessions/${id}/rename`,
    confirm: ask.saveName,
    isSafe: true,
    fields: html`<label>${ask.nameField}
<input name="name" required maxlength="200" value="${name}" dir="auto" autocomplete="off"></label>`,
  })}</li>
<li>${confirmDialog(t, {
    label: ask.deleteDots,
    question: ask.deleteQuestion,
    action: `/sessions/${id}/delete`,
    confirm: ask.deleteConfirm,
  })}</li></ul></details>`
}
