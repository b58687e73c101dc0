import type { ListedSession, RecentSession } from '../../../turns/sessions/session-families.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { nameOf } from './ask-form.ts'

/** Conversations as rows, newest first, each with its branches below it. */
export function conversationList(t: Texts, sessions: readonly RecentSession[]): Html {
  return html`<ul class="rows">${sessions.map((session) => {
    const branches = session.branches.map((branch) => html`<li>${row(t, branch)}</li>`)
    const below =
      branches.length === 0
        ? nothing
        : html`<ul class="branch-rows" aria-label="${t.ask.branches}">${branches}</ul>`
    return html`<li>${row(t, session)}${below}</li>`
  })}</ul>`
}

function row(t: Texts, session: ListedSession): Html {
  return html`<a class="row-title" href="/sessions/${session.id}" dir="auto">${nameOf(t, session)}</a>
<span class="row-facts faint">${t.common.questions(session.turnCount)} · ${t.day(session.createdAt)}</span>`
}
