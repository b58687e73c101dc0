import type { SharedSession } from '../../../turns/sessions/shared-sessions.ts'
import { type Html, html } from '../../components/html.ts'

/** The button Share of a conversation, with its link if it has one. */
export function shareForm(
  session: { readonly id: string; readonly turnCount: number },
  shared: SharedSession | undefined,
  appUrl: string,
): Html {
  const label = shared ? 'Shared' : 'Share'
  return html`<details class="menu share"><summary class="button quiet">${label}</summary>
<div class="share-box" data-copied="Copied">
${shared ? linkBox(session, shared, appUrl) : newLink(session)}</div></details>`
}

function newLink({ id }: { readonly id: string }): Html {
  return html`<form method="post" action="/sessions/${id}/share">
<p>Anybody with the link can read the questions, answers and sources so far, also passages of your files that answers
quote. The link does not show your name or account, and you can revoke it.</p><button>Create link</button></form>`
}

function linkBox(
  { id, turnCount }: { readonly id: string; readonly turnCount: number },
  { token, lastTurn }: SharedSession,
  appUrl: string,
): Html {
  const update = html`<form method="post" action="/sessions/${id}/share"><button class="quiet">Include newer questions
</button></form>`
  return html`<label>Public link
<input id="share-link" readonly dir="ltr" value="${appUrl}/shared/${token}"></label>
<p class="hint">It shows the conversation up to question ${lastTurn}.</p>
<p class="row"><button type="button" class="quiet copy" data-copy-link="/shared/${token}">Copy link</button>
<a class="button quiet" href="/shared/${token}">Open</a></p>
${lastTurn < turnCount ? update : ''}
<form method="post" action="/sessions/${id}/unshare"><button class="quiet danger">Revoke link</button></form>`
}
