import { passwordLength } from '../../../accounts/passwords/password-rules.ts'
import { confirmDialog } from '../../components/confirm-dialog.ts'
import { factList } from '../../components/fact-list.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { notice, outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import type { Visitor } from '../../visitors/visitor.ts'
import type { WebSettings } from '../services.ts'
import { settingsPage } from './settings-page.ts'

export type AccountMessages = {
  /** Why the password was not changed. */
  readonly problem?: string
  /** The field of the password form that was refused. */
  readonly wrong?: string | null
  /** Why the account was not deleted: its form is open again. */
  readonly deleteProblem?: string
  /** The new address to which no link was sent, and why. */
  readonly address?: { readonly email: string; readonly problem: string }
  readonly done?: string | undefined
}

/** The account's address and plan, the change of its password, and its deletion. */
export function accountPage(
  t: Texts,
  { account }: Visitor,
  messages: AccountMessages,
  { mailer, deletionDays = 0 }: WebSettings,
): Page {
  const { common } = t
  return settingsPage(t, {
    title: t.account.accountTab,
    path: '/settings/account',
    main: html`${outcomeNotice({ done: messages.done })}
${factList([
  [common.email, html`<bdi>${account.email}</bdi>`],
  [common.plan, html`<bdi>${common.planName(account.plan)}</bdi>`],
])}
${passwordCard(t, account.email, messages)}
${mailer ? addressCard(t, messages.address) : nothing}
${exportCard(t)}
${deleteCard(t, messages.deleteProblem, deletionDays)}`,
  })
}

/** A refusal stands in the form that was refused: the page has two that ask for the current password. */
function passwordCard({ account, common }: Texts, email: string, { problem, wrong }: AccountMessages): Html {
  const { min } = passwordLength
  const mark = (name: string) => (wrong === name ? html` aria-invalid="true" autofocus` : nothing)
  return html`<section class="card narrow-left"><h2>${account.changePassword}</h2>
${outcomeNotice({ problem })}
<form method="post" action="/settings/account/password">
<input type="hidden" name="username" autocomplete="username" value="${email}">
<label>${account.currentPassword}
<input type="password" name="current" autocomplete="current-password" required${mark('current')}></label>
<label>${common.newPassword} <input type="password" name="next" autocomplete="new-password"
minlength="${min}" required aria-describedby="rule"${mark('next')}></label>
<p class="hint" id="rule">${account.passwordRuleHere(min)}</p>
<button>${account.changePassword}</button></form></section>`
}

function addressCard({ account }: Texts, refused: AccountMessages['address']): Html {
  return html`<section class="card narrow-left"><h2>${account.changeAddress}</h2>
<p>${account.changeAddressHint}</p>${outcomeNotice({ problem: refused?.problem })}
<form method="post" action="/settings/account/address">
<label>${account.newAddress} <input type="email" name="email" autocomplete="email" required dir="ltr"
value="${refused?.email ?? ''}"></label>
<label>${account.currentPassword}
<input type="password" name="current" autocomplete="current-password" required></label>
<button>${account.sendLink}</button></form></section>`
}

function exportCard({ account }: Texts): Html {
  return html`<section class="card narrow-left"><h2>${account.exportData}</h2>
<p>${account.exportMeaning}</p>
<form method="post" action="/settings/account/export"><button>${account.exportData}</button></form></section>`
}

function deleteCard({ account, common }: Texts, problem: string | undefined, days: number): Html {
  const dialog = confirmDialog({
    label: account.deleteDots,
    action: '/settings/account/delete',
    confirm: days > 0 ? account.close : account.deleteEverything,
    cancel: common.cancel,
    isOpen: problem !== undefined,
    fields: html`${problem === undefined ? nothing : notice('problem', problem)}
<label>${account.passwordToConfirm}
<input type="password" name="current" autocomplete="current-password" required></label>`,
  })
  return html`<section class="card narrow-left"><h2>${account.deleteAccount}</h2>
<p>${days > 0 ? account.closeMeaning(days) : account.deleteMeaning}</p>
${dialog}</section>`
}
