import type { ListedSession } from '../../../accounts/sign-in/web-sessions.ts'
import { confirmDialog } from '../../components/confirm-dialog.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Html, html } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { agentName } from './agent-name.ts'

/** The browsers that are signed in to the account, each with a button that signs it out. */
export function signInList(t: Texts, sessions: readonly ListedSession[]): Html {
  const { account, common } = t
  const list = dataTable({
    label: account.signIns,
    rows: sessions,
    columns: [
      {
        name: account.browser,
        kind: 'title',
        cell: ({ id, agent }) =>
          html`<bdi id="agent-${id}">${agentName(agent) || account.unknownBrowser}</bdi>`,
      },
      { name: account.signedIn, cell: ({ createdAt }) => t.minute(createdAt) },
      { name: t.common.lastUsed, cell: ({ seenAt }) => t.minute(seenAt) },
      {
        name: html`<span class="sr">${common.actions}</span>`,
        cell: ({ id, isCurrent }) =>
          isCurrent
            ? html`<b>${account.thisBrowser}</b>`
            : html`<form method="post" action="/settings/account/sign-ins/${id}/end">
<button class="quiet" aria-describedby="agent-${id}">${account.signOutOne}</button></form>`,
      },
    ],
  })
  const everywhere = confirmDialog({
    label: account.signOutEverywhereDots,
    question: account.signOutEverywhereQuestion,
    action: '/settings/account/sign-ins/end',
    confirm: account.signOutEverywhere,
    cancel: common.cancel,
  })
  return html`<section id="sign-ins"><h2>${account.signIns}</h2>${list}
<p class="hint">${account.signInsHint}</p>${everywhere}</section>`
}
