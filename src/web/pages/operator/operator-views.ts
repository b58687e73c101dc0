import type { Account } from '../../../accounts/accounts.ts'
import { creditsText } from '../../../billing/credits.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { emptyState, notice, type Page, tabs } from '../../components/page.ts'
import { moment } from '../../components/times.ts'
import { operatorTabs } from './operator-tabs.ts'

type Search = {
  readonly q?: string | undefined
  readonly plan?: string | undefined
  readonly after?: string | undefined
}

/** Who uses the service. */
export function accountsPage(shown: {
  readonly search: Search
  readonly accounts: readonly Account[]
  readonly balances: ReadonlyMap<string, bigint>
  readonly hasMore: boolean
  readonly plans: readonly string[]
  readonly done: string | undefined
}): Page {
  const { search, accounts, balances, hasMore, plans, done } = shown
  const isSearch = search.q !== undefined || search.plan !== undefined
  return {
    title: 'Accounts',
    section: 'operator',
    sheets: ['operator'],
    main: html`<h1>Operator</h1>${tabs(operatorTabs, '/operator')}
<div class="head"><h2>Accounts</h2><a class="button" href="/operator/accounts/new">New account</a></div>
${done ? notice('done', done) : nothing}
<form class="filters" role="search" action="/operator"><label>E-mail address <input type="search" name="q" maxlength="254" dir="ltr" value="${search.q ?? ''}"></label>
<label>Plan ${planSelect([...plans], search.plan, true)}</label><button class="quiet">Show</button></form>
${accounts.length === 0 ? emptyState(isSearch ? 'No account is like that' : 'That was all', html`<a href="/operator">Show all accounts</a>`) : accountTable(accounts, balances)}
<p class="pager">${search.after === undefined ? nothing : html`<a class="button quiet" href="${withQuery('/operator', { ...search, after: undefined })}">From the start</a>`}${hasMore ? html`<a class="button quiet" href="${withQuery('/operator', { ...search, after: accounts.at(-1)?.email })}">More accounts</a>` : nothing}</p>`,
  }
}

function accountTable(accounts: readonly Account[], balances: ReadonlyMap<string, bigint>): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Accounts"><table><thead><tr><th>Account</th><th>Plan</th><th class="number">Credits left</th><th>Made</th></tr></thead><tbody>${accounts.map(
    (account) =>
      html`<tr><th scope="row"><a href="/operator/accounts/${account.id}" dir="auto">${account.email}</a>${account.operator ? html` <span class="badge">operator</span>` : nothing}${account.suspendedAt ? html` <span class="badge revoked">suspended</span>` : nothing}</th><td>${account.plan}</td><td class="number">${balances.has(account.id) ? creditsText(balances.get(account.id) ?? 0n) : html`<span class="faint">not used yet</span>`}</td><td>${moment(account.createdAt)}</td></tr>`,
  )}</tbody></table></div>`
}

/** The choice of a plan; with `any` there is an empty choice too. */
export function planSelect(plans: readonly string[], present: string | undefined, any = false): Html {
  return html`<select name="plan">${any ? html`<option value="">Any</option>` : nothing}${plans.map(
    (plan) => html`<option value="${plan}"${plan === present ? html` selected` : nothing}>${plan}</option>`,
  )}</select>`
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
<label class="choice"><input type="checkbox" name="operator" value="yes"${form.operator === 'yes' ? html` checked` : nothing}> <span>Operator <small>May open these pages: sees, changes, suspends and deletes all accounts.</small></span></label>
<p class="hint">A password is made and shown once. Its owner can change it under Settings.</p>
<button>Make the account</button> <a class="button quiet" href="/operator">Cancel</a></form></section>`,
  }
}

/** The only page that shows the password of an account that an operator created. */
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
