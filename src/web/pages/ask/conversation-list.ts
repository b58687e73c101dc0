import type { Project } from '../../../turns/sessions/projects.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { moment } from '../../components/times.ts'
import { nameOf } from './ask-form.ts'

/** Conversations as rows, newest first; with their projects if these are given. */
export function conversationList(sessions: readonly Session[], projects: readonly Project[] = []): Html {
  const names = new Map(projects.map((project) => [project.id, project.name]))
  return html`<ul class="rows">${sessions.map(
    (
      session,
    ) => html`<li><a class="row-title" href="/sessions/${session.id}" dir="auto">${nameOf(session)}</a>
<span class="row-facts faint">${names.has(session.projectId) ? html`<span dir="auto">${names.get(session.projectId)}</span> · ` : nothing}${session.turnCount} ${session.turnCount === 1 ? 'question' : 'questions'} · ${moment(session.createdAt)}</span></li>`,
  )}</ul>`
}
