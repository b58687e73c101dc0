import type { Account } from '../../../accounts/accounts.ts'
import type { readActivity } from '../../../billing/usage/usage.ts'
import { dataTable } from '../../components/data-table.ts'
import { copyField, type Option, selectField } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { emptyState, notice, outcomeNotice, type Page } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { creditsIn } from '../wording.ts'
import { operatorPage } from './operator-page.ts'

type Search = {
  readonly q?: string | undefined
  readonly plan?: string | undefined
  readonly after?: string | undefined
}

type AccountsShown = {
  readonly search: Search
  readonly accounts: readonly Account[]
  readonly balances: ReadonlyMap<string, bigint>
  /** What the accounts have spent in 30 days, and their last charge. */
  readonly activity: Awaited<ReturnType<typeof readActivity>>
  readonly hasMore: boolean
  readonly plans: readonly string[]
  readonly done: string | undefined
}

/** All accounts, or those that a search found. */
export function accountsPage(t: Texts, shown: AccountsShown): Page {
  const { search, accounts, hasMore, done } = shown
  const texts = t.operator.accounts
  const href = (after?: string) => withQuery('/operator', { ...search, after })
  return operatorPage(t, {
    title: t.operator.accounts.tabs.accounts,
    path: '/operator',
    main: html`<div class="head"><h2>${t.operator.accounts.tabs.accounts}</h2>
<a class="button" href="/operator/accounts/new">${texts.newAccount}</a></div>
${outcomeNotice({ done })}
${filterForm(t, shown)}
${accounts.length === 0 ? noAccounts(t, search) : accountTable(t, shown)}
${pager(
  search.after !== undefined && { label: t.common.firstPage, href: href() },
  hasMore && { label: texts.more, href: href(accounts.at(-1)?.email) },
)}`,
  })
}

function filterForm(t: Texts, { search, plans }: AccountsShown): Html {
  const { common } = t
  const options = [{ value: '', label: common.any }, ...planOptions(t, plans)]
  return html`<form class="filters" role="search" action="/operator">
<label>${common.email}
<input type="search" name="q" maxlength="254" dir="ltr" value="${search.q ?? ''}"></label>
${selectField({ label: common.plan, name: 'plan', options, selected: search.plan })}
<button class="quiet">${common.show}</button></form>`
}

function noAccounts({ operator: { accounts } }: Texts, { q, plan }: Search): Html {
  const isSearch = q !== undefined || plan !== undefined
  return emptyState(isSearch ? accounts.noMatch : accounts.noMore, accounts.showAll)
}

function accountTable(t: Texts, { accounts, balances, activity }: AccountsShown): Html {
  const texts = t.operator.accounts
  const notUsed = html`<span class="faint">${texts.notUsed}</span>`
  const credits = (micros: bigint | undefined) => (micros === undefined ? notUsed : creditsIn(t, micros))
  return dataTable({
    label: t.operator.accounts.tabs.accounts,
    rows: accounts,
    columns: [
      { name: texts.account, kind: 'title', cell: (account) => accountCell(t, account) },
      { name: t.common.plan, cell: ({ plan }) => t.common.planName(plan) },
      { name: t.usage.creditsLeft, kind: 'number', cell: ({ id }) => credits(balances.get(id)) },
      {
        name: texts.spent,
        kind: 'number',
        cell: ({ id }) => creditsIn(t, activity.get(id)?.spentMicros ?? 0n),
      },
      { name: texts.lastUse, cell: ({ id }) => lastUse(t, activity.get(id)?.lastAt) },
      { name: t.common.created, cell: ({ createdAt }) => t.day(createdAt) },
    ],
  })
}

function lastUse(t: Texts, at: Date | undefined): Html {
  return at ? t.day(at) : html`<span class="faint">${t.common.never}</span>`
}

function accountCell({ operator: texts }: Texts, { id, email, operator, suspendedAt }: Account): Html {
  const { operatorBadge, suspendedBadge } = texts.accounts
  return html`<a href="/operator/accounts/${id}" dir="ltr">${email}</a>
${operator ? html`<span class="badge">${operatorBadge}</span>` : nothing}
${suspendedAt ? html`<span class="badge revoked">${suspendedBadge}</span>` : nothing}`
}

/** The plans, as the options of a select field. */
export function planOptions(t: Texts, plans: readonly string[]): readonly Option[] {
  return plans.map((plan) => ({ value: plan, label: t.common.planName(plan) }))
}

type NewAccount = {
  readonly email?: string
  readonly plan: string
  readonly operator?: 'yes' | undefined
  readonly problem?: string
}

/** The form for a new account. */
export function newAccountPage(t: Texts, plans: readonly string[], form: NewAccount): Page {
  const { common } = t
  const texts = t.operator.accounts
  return operatorPage(t, {
    title: texts.newAccount,
    path: '/operator',
    main: html`<section class="card narrow-left"><h2>${texts.newAccount}</h2>${outcomeNotice({ problem: form.problem })}
<form method="post" action="/operator/accounts">
<label>${common.email} <input type="email" name="email" required maxlength="254" dir="ltr" autocomplete="off"
value="${form.email ?? ''}"></label>
${selectField({ label: common.plan, name: 'plan', options: planOptions(t, plans), selected: form.plan })}
${operatorBox(t, form.operator === 'yes')}
<p class="hint">${texts.passwordHint}</p>
<p class="row"><button>${texts.create}</button> <a href="/operator">${common.cancel}</a></p></form></section>`,
  })
}

function operatorBox({ operator: { accounts } }: Texts, on: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="operator" value="yes"${on ? html` checked` : nothing}>
<span>${accounts.operatorBox} <small>${accounts.operatorBoxHint}</small></span></label>`
}

/** The one page that shows the password of an account that an operator has created. */
export function accountMadePage(t: Texts, account: Account, password: string): Page {
  const texts = t.operator.accounts
  return operatorPage(t, {
    title: texts.createdTitle,
    path: '/operator',
    scripts: ['copy.js'],
    main: html`<section class="card narrow-left"><h2>${texts.created(account.email)}</h2>
${notice('note', texts.copyPassword)}
${copyField(t, { id: 'password', text: password, what: texts.thePassword })}
<p><a class="button" href="/operator/accounts/${account.id}">${texts.goTo}</a></p></section>`,
  })
}

type ResetLink = {
  readonly url: string
  readonly expiresAt: Date
  /** Whether the operator has set the service's address. */
  readonly hasAppUrl: boolean
}

/** The one page that shows a password reset link. */
export function resetLinkPage(t: Texts, account: Account, { url, expiresAt, hasAppUrl }: ResetLink): Page {
  const texts = t.operator.accounts
  return operatorPage(t, {
    title: texts.linkTitle,
    path: '/operator',
    scripts: ['copy.js'],
    main: html`<section class="card narrow-left"><h2>${texts.linkFor(account.email)}</h2>
${notice('note', texts.copyLink)}
${copyField(t, { id: 'link', text: url, what: texts.theLink })}
<p>${texts.linkHint(t.minute(expiresAt))}</p>
${hasAppUrl ? nothing : html`<p class="hint">${texts.addressHint}</p>`}
<p><a class="button" href="/operator/accounts/${account.id}">${texts.goTo}</a></p></section>`,
  })
}
