import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import { html } from '../../components/html.ts'
import { emptyState, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { conversationTitle, nameOf } from '../ask/ask-form.ts'
import { type LibraryFacts, sharedTurn, turnSheets } from '../ask/turn-views.ts'

/** A shared conversation: questions, answers and sources, and nothing of the account. */
export function sharedPage(
  t: Texts,
  session: Session,
  turns: readonly ConversationTurn[],
  library: LibraryFacts,
): Page {
  const { questionNumber, sourcesOf } = t.answers
  return {
    title: nameOf(t, session),
    wide: true,
    sheets: turnSheets,
    scripts: ['copy.js', 'ref-preview.js', 'print.js', 'source-sheet.js'],
    main: html`<div class="shared-page">${conversationTitle(t, session, turns[0])}
<p class="faint">${t.sharing.note(html`<a href="/library">${t.sharing.openLibrary}</a>`)}
<button class="as-link for-scripts" type="button" data-print hidden>${t.sheets.print}</button></p>
${turns.length === 0 ? emptyState(t.sharing.none, t.sharing.noneHint) : ''}
${turns.map((turn, i) =>
  sharedTurn(t, turn, library, { question: questionNumber(i + 1), sources: sourcesOf(i + 1) }),
)}</div>`,
  }
}
