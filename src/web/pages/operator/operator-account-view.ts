import type { Account } from '../../../accounts/accounts.ts'
import type { AuditEntry } from '../../../accounts/audit.ts'
import { resetHours } from '../../../accounts/sign-in/password-reset.ts'
import { type AccountCredits, availableIn } from '../../../billing/account-credits.ts'
import type { UsageRow } from '../../../billing/usage/usage.ts'
import { type Fact, factList } from '../../components/data-table.ts'
import { confirmDialog, selectField } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { creditTable } from '../credit-table.ts'
import { creditsIn } from '../wording.ts'
import { auditTable } from './audit-view.ts'
import { operatorPage } from './operator-page.ts'
import { planOptions } from './operator-views.ts'

export type MessageShown = {
  readonly done?: string | undefined
  readonly problem?: string
  /** The amount to grant, as it was typed. */
  readonly amount?: string
  /** The amount to take back, as it was typed. */
  readonly takeBack?: string
}

type AccountShown = MessageShown & {
  readonly account: Account
  /** The operator who is signed in. */
  readonly viewer: Account
  readonly plans: readonly string[]
  readonly credits: AccountCredits
  /** When the allowance expires. */
  readonly renewsAt: Date
  readonly newestEntry: string
  readonly activeKeys: number
  /** Of the last 30 days. */
  readonly days: readonly UsageRow[]
  /** The newest audit entries about the account. */
  readonly entries: readonly AuditEntry[]
}

/** One account: its plan, its credits, its use in the last days; nothing of its conversations. */
export function accountPage(t: Texts, shown: AccountShown): Page {
  const { account, credits, renewsAt, entries } = shown
  const texts = t.operator.accounts
  return operatorPage(t, {
    title: account.email,
    path: '/operator',
    main: html`<p class="crumb"><a href="/operator">${texts.all}</a></p><h2><bdi dir="ltr">${account.email}</bdi></h2>
${outcomeNotice(shown)}
${factList(factsOf(t, shown))}
<div class="card-grid">${planCard(t, shown)}
${grantCard(t, shown)}
${takeBackCard(t, shown)}
${passwordCard(t, account)}
${accessCards(t, shown)}
${holdCard(t, account)}</div>
<h2>${t.usage.creditsByKind}</h2>
${
  availableIn(credits) === 0n
    ? emptyState(texts.noCredits, texts.noCreditsHint)
    : creditTable(t, credits, renewsAt, creditsIn)
}
<div class="head"><h2>${t.operator.accounts.tabs.audit}</h2>
<a class="button quiet" href="/operator/audit?account=${account.id}">${texts.allEntries}</a></div>
${
  entries.length === 0 ? emptyState(texts.noEntriesYet, texts.noEntriesYetHint) : auditTable(t, entries, true)
}`,
  })
}

function factsOf(t: Texts, { account, credits, activeKeys, days }: AccountShown): readonly (Fact | false)[] {
  const { common } = t
  const texts = t.operator.accounts
  const turns = days.reduce((sum, row) => sum + row.turns, 0)
  const micros = days.reduce((sum, row) => sum + row.costMicros, 0n)
  return [
    [common.plan, html`<bdi>${common.planName(account.plan)}</bdi>`],
    [t.usage.creditsLeft, creditsIn(t, availableIn(credits))],
    [texts.held, creditsIn(t, credits.heldMicros)],
    [texts.activeKeys, activeKeys],
    [texts.last30, texts.turnsAndCredits(common.turns(turns), creditsIn(t, micros))],
    [common.created, t.day(account.createdAt)],
    [texts.id, html`<code>${account.id}</code>`],
    account.operator && [t.members.role, texts.operatorBadge],
    account.suspendedAt !== null && [texts.suspended, texts.since(t.day(account.suspendedAt))],
    account.deletionDueAt !== null && [texts.closed, texts.deletionOn(t.day(account.deletionDueAt))],
    account.legalHoldAt !== null && [texts.legalHold, html`<bdi>${account.legalHoldReason}</bdi>`],
  ]
}

function planCard(t: Texts, { account, plans }: AccountShown): Html {
  const { common } = t
  const texts = t.operator.accounts
  const options = planOptions(t, plans)
  return html`<section class="card narrow-left"><h2>${common.plan}</h2>
<form method="post" action="/operator/accounts/${account.id}/plan">
${selectField({ label: texts.newPlan, name: 'plan', options, selected: account.plan })}
<p class="hint">${texts.planHint}</p>
<button>${texts.changePlan}</button></form></section>`
}

type AmountForm = {
  /** HTML id of the hint. */
  readonly id: string
  readonly action: string
  /** The newest audit entry: a form that is sent twice changes the credits once. */
  readonly seen: string
  readonly label: string
  readonly value: string | undefined
  readonly hint: string
  readonly submit: string
  readonly isDanger?: boolean
}

function amountForm(form: AmountForm): Html {
  return html`<form method="post" action="${form.action}"><input type="hidden" name="seen" value="${form.seen}">
<label>${form.label} <input name="amount" inputmode="decimal" required maxlength="20" dir="ltr"
value="${form.value ?? ''}" aria-describedby="${form.id}"></label>
<p class="hint" id="${form.id}">${form.hint}</p>
<button${form.isDanger ? html` class="danger"` : nothing}>${form.submit}</button></form>`
}

function grantCard(
  { operator: { accounts }, usage }: Texts,
  { account, newestEntry, amount }: AccountShown,
): Html {
  return html`<section class="card narrow-left"><h2>${accounts.grantCredits}</h2>${amountForm({
    id: 'grant-hint',
    action: `/operator/accounts/${account.id}/grant`,
    seen: newestEntry,
    label: usage.credits,
    value: amount,
    hint: accounts.grantHint,
    submit: accounts.grantCredits,
  })}</section>`
}

function takeBackCard(t: Texts, { account, credits, newestEntry, takeBack }: AccountShown): Html {
  const { accounts } = t.operator
  return html`<section class="card narrow-left"><h2>${accounts.takeBack}</h2>${amountForm({
    id: 'take-back-hint',
    action: `/operator/accounts/${account.id}/take-back`,
    seen: newestEntry,
    label: accounts.takeBackAmount,
    value: takeBack,
    hint: accounts.takeBackHint(creditsIn(t, availableIn(credits))),
    submit: accounts.takeBack,
    isDanger: true,
  })}</section>`
}

function passwordCard({ operator: { accounts } }: Texts, { id }: Account): Html {
  return html`<section class="card narrow-left"><h2>${accounts.resetPassword}</h2>
<form method="post" action="/operator/accounts/${id}/reset-password">
<p>${accounts.resetHint(resetHours)}</p>
<button>${accounts.createLink}</button></form></section>`
}

/** Suspension and deletion. Operators can do neither to the account they are signed in with. */
function accessCards(t: Texts, { account, viewer }: AccountShown): Html {
  const { accounts } = t.operator
  if (account.id === viewer.id) {
    return html`<section class="card narrow-left"><h2>${accounts.ownAccount}</h2>
<p>${accounts.ownAccountHint}</p>
</section>`
  }
  const path = `/operator/accounts/${account.id}`
  return html`${account.suspendedAt ? resumeCard(t, account) : suspendCard(t, path)}
${account.legalHoldAt ? nothing : deleteCard(t, path)}`
}

function resumeCard({ operator: { accounts } }: Texts, { id, deletionDueAt }: Account): Html {
  const [title, hint, button] = deletionDueAt
    ? [accounts.closed, accounts.closedHint, accounts.takeDeletionBack]
    : [accounts.suspended, accounts.suspendedHint, accounts.resume]
  return html`<section class="card narrow-left"><h2>${title}</h2>
<p>${hint}</p>
<form method="post" action="/operator/accounts/${id}/resume"><button>${button}</button></form></section>`
}

function holdCard({ operator: { accounts } }: Texts, { id, legalHoldAt }: Account): Html {
  const path = `/operator/accounts/${id}`
  const form = legalHoldAt
    ? html`<form method="post" action="${path}/release"><button>${accounts.endHold}</button></form>`
    : html`<form method="post" action="${path}/hold">
<label>${accounts.holdReason} <input name="reason" required maxlength="500"></label>
<button>${accounts.placeHold}</button></form>`
  return html`<section class="card narrow-left"><h2>${accounts.legalHold}</h2>
<p>${accounts.holdHint}</p>
${form}</section>`
}

function suspendCard(t: Texts, path: string): Html {
  const { accounts } = t.operator
  return html`<section class="card narrow-left"><h2>${accounts.suspend}</h2>
<p>${accounts.suspendHint}</p>
${confirmDialog(t, {
  label: accounts.suspendDots,
  question: accounts.suspendQuestion,
  action: `${path}/suspend`,
  confirm: accounts.suspendConfirm,
})}</section>`
}

function deleteCard(t: Texts, path: string): Html {
  const { accounts } = t.operator
  return html`<section class="card narrow-left"><h2>${accounts.delete}</h2>
<p>${accounts.deleteHint}</p>
${confirmDialog(t, {
  label: t.account.deleteDots,
  question: accounts.deleteQuestion,
  action: `${path}/delete`,
  confirm: t.account.deleteEverything,
  fields: html`<label>${accounts.deleteField}
<input type="email" name="confirm" required autocomplete="off" dir="ltr"></label>`,
})}</section>`
}
