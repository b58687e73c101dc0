import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import type { SharedSession } from '../../../turns/sessions/shared-sessions.ts'
import { type Html, html } from '../../components/html.ts'
import { emptyState, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { conversationTitle, nameOf } from '../ask/ask-form.ts'
import { type LibraryFacts, sharedTurn, turnSheets } from '../ask/turn-views.ts'

/** The button Share of a conversation, with its link if it has one. */
export function shareForm(
  t: Texts,
  session: { readonly id: string; readonly turnCount: number },
  shared: SharedSession | undefined,
  origin: string,
): Html {
  const label = shared ? t.sharing.shared : t.sharing.share
  return html`<details class="menu share"><summary class="button quiet">${label}</summary>
<div class="menu-body share-box" data-copied="${t.frame.copied}">
${shared ? linkBox(t, session, shared, origin) : newLink(t, session)}</div></details>`
}

function newLink({ sharing }: Texts, { id }: { readonly id: string }): Html {
  return html`<form method="post" action="/sessions/${id}/share">
<p>${sharing.about}</p><button>${sharing.create}</button></form>`
}

function linkBox(
  { answers, sharing }: Texts,
  { id, turnCount }: { readonly id: string; readonly turnCount: number },
  { token, lastTurn }: SharedSession,
  origin: string,
): Html {
  const address =
    token === undefined
      ? html`<p class="hint">${sharing.notShown}</p>`
      : html`<label>${sharing.link}
<input id="share-link" readonly dir="ltr" value="${origin}/shared/${token}"></label>
<p class="row"><button type="button" class="quiet copy" data-copy-link="/shared/${token}">${sharing.copyLink}</button>
<a class="button quiet" href="/shared/${token}">${answers.open}</a></p>`
  const update = html`<form method="post" action="/sessions/${id}/share"><button class="quiet">
${sharing.include}</button></form>`
  return html`${address}
<p class="hint">${sharing.upTo(lastTurn)}</p>
${lastTurn < turnCount ? update : ''}
<form method="post" action="/sessions/${id}/unshare"><button class="quiet danger">${sharing.revoke}</button></form>`
}

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
