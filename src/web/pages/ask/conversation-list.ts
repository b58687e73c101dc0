import type { Project } from '../../../turns/sessions/projects.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { projectName } from '../project-name.ts'
import { nameOf } from './ask-form.ts'

/** Conversations as rows, newest first; with the names of their projects when `projects` has them. */
export function conversationList(
  t: Texts,
  sessions: readonly Session[],
  projects: readonly Project[] = [],
): Html {
  const names = new Map(projects.map(({ id, name }) => [id, projectName(t, name)]))
  const rows = sessions.map((session) => conversationRow(t, session, names.get(session.projectId)))
  return html`<ul class="rows">${rows}</ul>`
}

function conversationRow(t: Texts, session: Session, project: string | undefined): Html {
  const inProject = project === undefined ? nothing : html`<span dir="auto">${project}</span> · `
  return html`<li><a class="row-title" href="/sessions/${session.id}" dir="auto">${nameOf(t, session)}</a>
<span class="row-facts faint">
${inProject}${t.common.questions(session.turnCount)} · ${t.day(session.createdAt)}</span></li>`
}
