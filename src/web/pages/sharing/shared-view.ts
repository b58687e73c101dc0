import type { ConversationTurn } from '../../../turns/reading/conversation.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import { html } from '../../components/html.ts'
import { emptyState, type Page } from '../../components/page.ts'
import { nameOf } from '../ask/ask-form.ts'
import { type LibraryFacts, sharedTurn, turnSheets } from '../ask/turn-views.ts'

/** A shared conversation: questions, answers and sources, and nothing of the account. */
export function sharedPage(
  session: Session,
  turns: readonly ConversationTurn[],
  library: LibraryFacts,
): Page {
  return {
    title: nameOf(session),
    wide: true,
    sheets: turnSheets,
    scripts: ['copy.js', 'ref-preview.js'],
    main: html`<div class="shared-page"><h1 dir="auto">${nameOf(session)}</h1>
<p class="faint">A shared conversation. Each quotation shows how it was checked against the library.
<a href="/library">Open the library</a></p>
${turns.length === 0 ? emptyState('No answers yet', 'The conversation has no finished answer.') : ''}
${turns.map((turn) => sharedTurn(turn, library))}</div>`,
  }
}
