import type { Account } from '../../accounts/accounts.ts'
import type { KeyInfo } from '../../accounts/keys.ts'
import { creditsText } from '../../billing/credits.ts'
import type { Balance, Pool } from '../../billing/pools.ts'
import type { UsageRow } from '../../turns/usage.ts'
import { type Html, html, nothing } from '../html.ts'
import { withQuery } from '../library-links.ts'
import { emptyState, notice, type Page, tabs } from '../page.ts'
import { counted } from '../texts.ts'
import { moment } from '../times.ts'
import { operatorTabs } from './operator-tabs.ts'

type Search = {
  readonly q?: string | undefined
  readonly plan?: string | undefined
  readonly after?: string | undefined
}

export type MessageShown = {
  readonly done?: string | undefined
  readonly problem?: string
  /** What was typed. */
  readonly amount?: string
}

/** Who uses the service. */
export function accountsPage(shown: {
  readonly search: Search
  readonly accounts: readonly Account[]
  readonly balances: ReadonlyMap<string, bigint>
  readonly hasMore: boolean
  readonly plans: readonly string[]
}): Page {
  const { search, accounts, balances, hasMore, plans } = shown
  const isSearch = search.q !== undefined || search.plan !== undefined
  return {
    title: 'Accounts',
    section: 'operator',
    sheets: ['operator'],
    main: html`<h1>Operator</h1>${tabs(operatorTabs, '/operator')}
<div class="head"><h2>Accounts</h2><a class="button" href="/operator/accounts/new">New account</a></div>
<form class="filters" role="search" action="/operator"><label>E-mail address <input type="search" name="q" maxlength="254" dir="ltr" value="${search.q ?? ''}"></label>
<label>Plan ${planSelect([...plans], search.plan, true)}</label><button class="quiet">Show</button></form>
${accounts.length === 0 ? emptyState(isSearch ? 'No account is like that' : 'That was all', html`<a href="/operator">Show all accounts</a>`) : accountTable(accounts, balances)}
<p class="pager">${search.after === undefined ? nothing : html`<a class="button quiet" href="${withQuery('/operator', { ...search, after: undefined })}">From the start</a>`}${hasMore ? html`<a class="button quiet" href="${withQuery('/operator', { ...search, after: accounts.at(-1)?.email })}">More accounts</a>` : nothing}</p>`,
  }
}

function accountTable(accounts: readonly Account[], balances: ReadonlyMap<string, bigint>): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Accounts"><table><thead><tr><th>Account</th><th>Plan</th><th class="number">Credits left</th><th>Made</th></tr></thead><tbody>${accounts.map(
    (account) =>
      html`<tr><th scope="row"><a href="/operator/accounts/${account.id}" dir="auto">${account.email}</a>${account.operator ? html` <span class="badge">operator</span>` : nothing}</th><td>${account.plan}</td><td class="number">${balances.has(account.id) ? creditsText(balances.get(account.id) ?? 0n) : html`<span class="faint">not used yet</span>`}</td><td>${moment(account.createdAt)}</td></tr>`,
  )}</tbody></table></div>`
}

function planSelect(plans: readonly string[], present: string | undefined, any = false): Html {
  return html`<select name="plan">${any ? html`<option value="">Any</option>` : nothing}${plans.map(
    (plan) => html`<option value="${plan}"${plan === present ? html` selected` : nothing}>${plan}</option>`,
  )}</select>`
}

type AccountShown = MessageShown & {
  readonly account: Account
  readonly plans: readonly string[]
  readonly balance: Balance
  readonly pools: readonly Pool[]
  readonly newestPool: string
  readonly keys: readonly KeyInfo[]
  /** Of the last 30 days. */
  readonly days: readonly UsageRow[]
}

/** One account: its plan, its credits, what it did lately; nothing of what was said in it. */
export function accountPage(shown: AccountShown): Page {
  const { account, plans, balance, pools, newestPool, keys, days, problem, done, amount } = shown
  const active = keys.filter(
    (key) => !key.revokedAt && !(key.expiresAt && key.expiresAt.getTime() <= Date.now()),
  )
  const turns = days.reduce((sum, row) => sum + row.turns, 0)
  const micros = days.reduce((sum, row) => sum + row.costMicros, 0n)
  return {
    title: account.email,
    section: 'operator',
    sheets: ['operator'],
    main: html`<h1>Operator</h1>${tabs(operatorTabs, '/operator')}
<p><a href="/operator">All accounts</a></p><h2 dir="auto">${account.email}</h2>
${problem ? notice('problem', problem) : done ? notice('done', done) : nothing}
<dl class="facts"><div><dt>Plan</dt><dd>${account.plan}</dd></div><div><dt>Credits left</dt><dd>${creditsText(balance.availableMicros)}</dd></div>
<div><dt>Set aside for running turns</dt><dd>${creditsText(balance.heldMicros)}</dd></div><div><dt>Keys in use</dt><dd>${active.length}</dd></div>
<div><dt>Last 30 days</dt><dd>${counted(turns, 'turn')}, ${creditsText(micros)} credits</dd></div>
<div><dt>Made</dt><dd>${moment(account.createdAt)}</dd></div><div><dt>Id</dt><dd><code>${account.id}</code></dd></div>${account.operator ? html`<div><dt>Role</dt><dd>operator</dd></div>` : nothing}</dl>
<section class="card narrow-left"><h2>Plan</h2><form method="post" action="/operator/accounts/${account.id}/plan">
<label>Plan ${planSelect(plans, account.plan)}</label><p class="hint">It holds from the next request on. A higher plan brings what it gives more at once; a lower one takes nothing back before the month ends.</p>
<button>Change the plan</button></form></section>
<section class="card narrow-left"><h2>Give credits</h2><form method="post" action="/operator/accounts/${account.id}/grant"><input type="hidden" name="seen" value="${newestPool}">
<label>Credits <input name="amount" inputmode="decimal" required maxlength="20" dir="ltr" value="${amount ?? ''}" aria-describedby="grant-hint"></label><p class="hint" id="grant-hint">They do not expire and cannot be taken back.</p>
<button>Give them</button></form></section>
<h2>Pools</h2>${pools.length === 0 ? emptyState('No credits are left', 'Give some above, or wait for the next month’s allowance.') : poolTable(pools)}`,
  }
}

function poolTable(pools: readonly Pool[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Pools"><table><thead><tr><th>From</th><th>Given</th><th class="number">Left</th><th class="number">Set aside</th><th>Until</th></tr></thead><tbody>${pools.map(
    (pool) =>
      html`<tr><th scope="row">${pool.kind === 'allowance' ? 'Monthly allowance' : 'Grant'}</th><td>${moment(pool.createdAt)}</td><td class="number">${creditsText(pool.availableMicros)}</td><td class="number">${creditsText(pool.heldMicros)}</td><td>${pool.expiresAt ? moment(pool.expiresAt) : 'does not expire'}</td></tr>`,
  )}</tbody></table></div>`
}

/** The form for another account. */
export function newAccountPage(
  plans: readonly string[],
  form: {
    readonly email?: string
    readonly plan: string
    readonly operator?: 'yes' | undefined
    readonly problem?: string
  },
): Page {
  return {
    title: 'New account',
    section: 'operator',
    sheets: ['operator'],
    main: html`<h1>Operator</h1>${tabs(operatorTabs, '/operator')}
<section class="card narrow-left"><h2>New account</h2>${form.problem ? notice('problem', form.problem) : nothing}
<form method="post" action="/operator/accounts">
<label>E-mail address <input type="email" name="email" required maxlength="254" dir="ltr" autocomplete="off" value="${form.email ?? ''}"></label>
<label>Plan ${planSelect(plans, form.plan)}</label>
<label class="choice"><input type="checkbox" name="operator" value="yes"${form.operator === 'yes' ? html` checked` : nothing}> <span>Operator <small>May open these pages: sees all accounts, changes plans and gives credits.</small></span></label>
<p class="hint">A password is made and shown once. Its owner can change it under Settings.</p>
<button>Make the account</button> <a class="button quiet" href="/operator">Cancel</a></form></section>`,
  }
}

/** The one page that shows the password of an account that an operator has made. */
export function accountMadePage(account: Account, password: string): Page {
  return {
    title: 'The account is made',
    section: 'operator',
    sheets: ['operator'],
    scripts: ['copy.js'],
    main: html`<h1>Operator</h1>${tabs(operatorTabs, '/operator')}
<section class="card narrow-left"><h2 dir="auto">The account ${account.email} is made</h2>
${notice('note', html`<b>Copy the password now.</b> This is the only time it is shown.`)}
<div class="copyable"><pre tabindex="0" dir="ltr"><code id="password">${password}</code></pre><button class="quiet" type="button" data-copy="password" aria-label="Copy: The password" hidden>Copy</button></div>
<p><a class="button" href="/operator/accounts/${account.id}">To the account</a></p></section>`,
  }
}
