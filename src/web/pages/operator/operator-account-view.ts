import type { Account } from '../../../accounts/accounts.ts'
import type { AuditEntry } from '../../../accounts/audit.ts'
import type { KeyInfo } from '../../../accounts/keys/keys.ts'
import { resetHours } from '../../../accounts/sign-in/password-reset.ts'
import { creditsText } from '../../../billing/credits.ts'
import type { Balance, Pool } from '../../../billing/pools.ts'
import type { UsageRow } from '../../../billing/usage/usage.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { confirmed, emptyState, notice, type Page, tabs } from '../../components/page.ts'
import { counted } from '../../components/texts.ts'
import { instant, moment } from '../../components/times.ts'
import { auditTable } from './audit-view.ts'
import { operatorTabs } from './operator-tabs.ts'
import { planSelect } from './operator-views.ts'

export type MessageShown = {
  readonly done?: string | undefined
  readonly problem?: string
  /** What was typed to give. */
  readonly amount?: string
  /** The amount that was typed into the form for taking back credits. */
  readonly takeBack?: string
}

type AccountShown = MessageShown & {
  readonly account: Account
  /** The operator who looks at the page. */
  readonly viewer: Account
  readonly plans: readonly string[]
  readonly balance: Balance
  readonly pools: readonly Pool[]
  readonly newestPool: string
  readonly newestEntry: string
  readonly keys: readonly KeyInfo[]
  /** Of the last 30 days. */
  readonly days: readonly UsageRow[]
  /** The newest audit entries about the account. */
  readonly entries: readonly AuditEntry[]
}

/**
 * One account: its plan, its credits and its activity of the last days. It shows no content of conversations.
 */
export function accountPage(shown: AccountShown): Page {
  const { account, plans, pools, newestPool, problem, done, amount, entries } = shown
  return {
    title: account.email,
    section: 'operator',
    sheets: ['operator'],
    main: html`<h1>Operator</h1>${tabs(operatorTabs, '/operator')}
<p><a href="/operator">All accounts</a></p><h2 dir="auto">${account.email}</h2>
${problem ? notice('problem', problem) : done ? notice('done', done) : nothing}
${facts(shown)}
<section class="card narrow-left"><h2>Plan</h2><form method="post" action="/operator/accounts/${account.id}/plan">
<label>Plan ${planSelect(plans, account.plan)}</label><p class="hint">It holds from the next request on. A higher plan brings what it gives more at once; a lower one takes nothing back before the month ends.</p>
<button>Change the plan</button></form></section>
<section class="card narrow-left"><h2>Give credits</h2><form method="post" action="/operator/accounts/${account.id}/grant"><input type="hidden" name="seen" value="${newestPool}">
<label>Credits <input name="amount" inputmode="decimal" required maxlength="20" dir="ltr" value="${amount ?? ''}" aria-describedby="grant-hint"></label><p class="hint" id="grant-hint">They do not expire.</p>
<button>Give credits</button></form></section>
${takeBackCard(shown)}
${passwordCard(account)}
${accessCard(shown)}
<h2>Pools</h2>${pools.length === 0 ? emptyState('No credits are left', 'Give some above, or wait for the next month’s allowance.') : poolTable(pools)}
<div class="head"><h2>Audit log</h2><a class="button quiet" href="/operator/audit?account=${account.id}">All entries</a></div>
${entries.length === 0 ? emptyState('No entries yet', 'What operators do to this account is recorded here.') : auditTable(entries, true)}`,
  }
}

function facts({ account, balance, keys, days }: AccountShown): Html {
  const active = keys.filter(
    (key) => !key.revokedAt && !(key.expiresAt && key.expiresAt.getTime() <= Date.now()),
  )
  const turns = days.reduce((sum, row) => sum + row.turns, 0)
  const micros = days.reduce((sum, row) => sum + row.costMicros, 0n)
  return html`<dl class="facts"><div><dt>Plan</dt><dd>${account.plan}</dd></div><div><dt>Credits left</dt><dd>${creditsText(balance.availableMicros)}</dd></div>
<div><dt>Held for running turns</dt><dd>${creditsText(balance.heldMicros)}</dd></div><div><dt>Active keys</dt><dd>${active.length}</dd></div>
<div><dt>Last 30 days</dt><dd>${counted(turns, 'turn')}, ${creditsText(micros)} credits</dd></div>
<div><dt>Created</dt><dd>${moment(account.createdAt)}</dd></div><div><dt>Id</dt><dd><code>${account.id}</code></dd></div>${account.operator ? html`<div><dt>Role</dt><dd>operator</dd></div>` : nothing}${account.suspendedAt ? html`<div><dt>Suspended</dt><dd>since ${moment(account.suspendedAt)}</dd></div>` : nothing}</dl>`
}

function takeBackCard({ account, balance, newestEntry, takeBack }: AccountShown): Html {
  return html`<section class="card narrow-left"><h2>Take credits back</h2><form method="post" action="/operator/accounts/${account.id}/take-back"><input type="hidden" name="seen" value="${newestEntry}">
<label>Amount to take back <input name="amount" inputmode="decimal" required maxlength="20" dir="ltr" value="${takeBack ?? ''}" aria-describedby="take-hint"></label><p class="hint" id="take-hint">At most the ${creditsText(balance.availableMicros)} credits that are left. Credits held for running turns stay. Credits that do not expire are taken first.</p>
<button>Take credits back</button></form></section>`
}

function passwordCard({ id }: Account): Html {
  return html`<section class="card narrow-left"><h2>Reset the password</h2><form method="post" action="/operator/accounts/${id}/reset-password">
<p>Creates a link with which the owner sets a new password. It works once, for ${resetHours} hours, and replaces an earlier link.</p>
<button>Create a password reset link</button></form></section>`
}

/** Suspension and deletion; not offered for the operator's own account. */
function accessCard({ account, viewer }: AccountShown): Html {
  const path = `/operator/accounts/${account.id}`
  if (account.id === viewer.id) {
    return html`<section class="card narrow-left"><h2>Suspend or delete</h2><p>This is your own account: you cannot suspend it. Delete it under <a href="/settings/account">Settings</a>.</p></section>`
  }
  return html`<section class="card narrow-left"><h2>${account.suspendedAt ? 'Suspended' : 'Suspend'}</h2>
${
  account.suspendedAt
    ? html`<p>Nobody can sign in to this account, and its keys are refused. Its data stays.</p><form method="post" action="${path}/resume"><button>Resume the account</button></form>`
    : html`<p>Stops its keys, browser sessions and turns at once. Its data stays, and you can resume it.</p>${confirmed(
        {
          label: 'Suspend the account…',
          question: 'Running turns are cancelled and charged for what they have done.',
          action: `${path}/suspend`,
          yes: 'Suspend the account',
        },
      )}`
}</section>
<section class="card narrow-left"><h2>Delete</h2><p>Deletes its keys, projects, conversations and files. Credits that are left are lost. The ledger and the audit log stay.</p>
${confirmed({
  label: 'Delete the account…',
  question: 'This cannot be undone.',
  action: `${path}/delete`,
  yes: 'Delete everything',
  fields: html`<label>Type the e-mail address of the account to confirm <input type="email" name="confirm" required autocomplete="off" dir="ltr"></label>`,
})}</section>`
}

function poolTable(pools: readonly Pool[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Pools"><table><thead><tr><th>From</th><th>Given</th><th class="number">Left</th><th class="number">Held</th><th>Until</th></tr></thead><tbody>${pools.map(
    (pool) =>
      html`<tr><th scope="row">${pool.kind === 'allowance' ? 'Monthly allowance' : 'Grant'}</th><td>${moment(pool.createdAt)}</td><td class="number">${creditsText(pool.availableMicros)}</td><td class="number">${creditsText(pool.heldMicros)}</td><td>${pool.expiresAt ? moment(pool.expiresAt) : 'does not expire'}</td></tr>`,
  )}</tbody></table></div>`
}

/**
 * The only page that shows a password reset link.
 * @param hasAppUrl whether `APP_URL` is set.
 */
export function resetLinkPage(
  account: Account,
  link: { readonly url: string; readonly expiresAt: Date; readonly hasAppUrl: boolean },
): Page {
  return {
    title: 'Password reset link',
    section: 'operator',
    sheets: ['operator'],
    scripts: ['copy.js'],
    main: html`<h1>Operator</h1>${tabs(operatorTabs, '/operator')}
<section class="card narrow-left"><h2 dir="auto">Password reset link for ${account.email}</h2>
${notice('note', html`<b>Copy the link now.</b> This is the only time it is shown.`)}
<div class="copyable"><pre tabindex="0" dir="ltr"><code id="link">${link.url}</code></pre><button class="quiet" type="button" data-copy="link" aria-label="Copy: The link" hidden>Copy</button></div>
<p>Send it to the owner of the account and to nobody else: whoever opens it can set the password. It works once, until ${instant(link.expiresAt)} (UTC).</p>
${link.hasAppUrl ? nothing : html`<p class="hint">The link has the address at which you opened this page. If others reach the service at another one, replace it in the link, or set <code>APP_URL</code>.</p>`}
<p><a class="button" href="/operator/accounts/${account.id}">To the account</a></p></section>`,
  }
}
