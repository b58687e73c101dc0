import type { Account } from '../../../accounts/accounts.ts'
import { creditsText } from '../../../billing/credits.ts'
import { copyField } from '../../components/copy-field.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { emptyState, notice, outcomeNotice, type Page } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import { type Option, selectField } from '../../components/select-field.ts'
import { formatDate } from '../../components/times.ts'
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
  readonly hasMore: boolean
  readonly plans: readonly string[]
  readonly done: string | undefined
}

/** All accounts, or those that a search found. */
export function accountsPage(shown: AccountsShown): Page {
  const { search, accounts, balances, hasMore, done } = shown
  const href = (after?: string) => withQuery('/operator', { ...search, after })
  return operatorPage({
    title: 'Accounts',
    path: '/operator',
    main: html`<div class="head"><h2>Accounts</h2><a class="button" href="/operator/accounts/new">New account</a></div>
${outcomeNotice({ done })}
${filterForm(shown)}
${accounts.length === 0 ? noAccounts(search) : accountTable(accounts, balances)}
${pager(
  search.after !== undefined && { label: 'First page', href: href() },
  hasMore && { label: 'More accounts', href: href(accounts.at(-1)?.email) },
)}`,
  })
}

function filterForm({ search, plans }: AccountsShown): Html {
  const options = [{ value: '', label: 'Any' }, ...planOptions(plans)]
  return html`<form class="filters" role="search" action="/operator">
<label>E-mail address <input type="search" name="q" maxlength="254" dir="ltr" value="${search.q ?? ''}"></label>
${selectField({ label: 'Plan', name: 'plan', options, selected: search.plan })}
<button class="quiet">Show</button></form>`
}

function noAccounts({ q, plan }: Search): Html {
  const isSearch = q !== undefined || plan !== undefined
  const title = isSearch ? 'No matching accounts' : 'No more accounts'
  return emptyState(title, html`<a href="/operator">Show all accounts</a>`)
}

function accountTable(accounts: readonly Account[], balances: ReadonlyMap<string, bigint>): Html {
  const credits = (micros: bigint | undefined) => (micros === undefined ? notUsed : creditsText(micros))
  return dataTable({
    label: 'Accounts',
    rows: accounts,
    columns: [
      { name: 'Account', kind: 'title', cell: accountCell },
      { name: 'Plan', cell: ({ plan }) => plan },
      { name: 'Credits left', kind: 'number', cell: ({ id }) => credits(balances.get(id)) },
      { name: 'Created', cell: ({ createdAt }) => formatDate(createdAt) },
    ],
  })
}

const notUsed = html`<span class="faint">not used yet</span>`

function accountCell({ id, email, operator, suspendedAt }: Account): Html {
  return html`<a href="/operator/accounts/${id}" dir="auto">${email}</a>
${operator ? html`<span class="badge">operator</span>` : nothing}
${suspendedAt ? html`<span class="badge revoked">suspended</span>` : nothing}`
}

/** The plans, as the options of a select field. */
export function planOptions(plans: readonly string[]): readonly Option[] {
  return plans.map((plan) => ({ value: plan, label: plan }))
}

type NewAccount = {
  readonly email?: string
  readonly plan: string
  readonly operator?: 'yes' | undefined
  readonly problem?: string
}

/** The form for a new account. */
export function newAccountPage(plans: readonly string[], form: NewAccount): Page {
  return operatorPage({
    title: 'New account',
    path: '/operator',
    main: html`<section class="card narrow-left"><h2>New account</h2>${outcomeNotice({ problem: form.problem })}
<form method="post" action="/operator/accounts">
<label>E-mail address <input type="email" name="email" required maxlength="254" dir="ltr" autocomplete="off"
value="${form.email ?? ''}"></label>
${selectField({ label: 'Plan', name: 'plan', options: planOptions(plans), selected: form.plan })}
${operatorBox(form.operator === 'yes')}
<p class="hint">The service creates a password and shows it once. The owner can change it under Settings.</p>
<p class="row"><button>Create account</button> <a href="/operator">Cancel</a></p></form></section>`,
  })
}

function operatorBox(on: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="operator" value="yes"${on ? html` checked` : nothing}>
<span>Operator <small>Can open these pages, and view, change, suspend and delete every account.</small></span></label>`
}

/** The one page that shows the password of an account that an operator has created. */
export function accountMadePage(account: Account, password: string): Page {
  return operatorPage({
    title: 'Account created',
    path: '/operator',
    scripts: ['copy.js'],
    main: html`<section class="card narrow-left"><h2 dir="auto">The account ${account.email} has been created</h2>
${notice('note', html`<b>Copy the password now.</b> It is shown only once.`)}
${copyField({ id: 'password', text: password, what: 'The password' })}
<p><a class="button" href="/operator/accounts/${account.id}">Go to the account</a></p></section>`,
  })
}
