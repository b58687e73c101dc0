import type { SharedSession } from '../../../turns/sessions/shared-sessions.ts'
import { type Html, html } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

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
