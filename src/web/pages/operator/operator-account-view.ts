import type { Account } from '../../../accounts/accounts.ts'
import type { AuditEntry } from '../../../accounts/audit.ts'
import type { KeyInfo } from '../../../accounts/keys/keys.ts'
import { resetHours } from '../../../accounts/sign-in/password-reset.ts'
import { creditsText } from '../../../billing/credits.ts'
import type { Balance, Pool } from '../../../billing/pools.ts'
import type { UsageRow } from '../../../billing/usage/usage.ts'
import { confirmDialog } from '../../components/confirm-dialog.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Fact, factList } from '../../components/fact-list.ts'
import { type Html, html } from '../../components/html.ts'
import { emptyState, outcomeNotice, type Page } from '../../components/page.ts'
import { selectField } from '../../components/select-field.ts'
import { counted } from '../../components/texts.ts'
import { formatDate } from '../../components/times.ts'
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

/** One account: its plan, its credits, its use in the last days; nothing of its conversations. */
export function accountPage(shown: AccountShown): Page {
  const { account, pools, entries } = shown
  return operatorPage({
    title: account.email,
    path: '/operator',
    main: html`<p><a href="/operator">All accounts</a></p><h2 dir="auto">${account.email}</h2>
${outcomeNotice(shown)}
${factList(factsOf(shown))}
${planCard(shown)}
${grantCard(shown)}
${takeBackCard(shown)}
${passwordCard(account)}
${accessCards(shown)}
<h2>Pools</h2>${pools.length === 0 ? noPools : poolTable(pools)}
<div class="head"><h2>Audit log</h2>
<a class="button quiet" href="/operator/audit?account=${account.id}">All entries</a></div>
${entries.length === 0 ? noEntries : auditTable(entries, true)}`,
  })
}

const noPools = emptyState('No credits left', 'Grant some above, or wait for the next monthly allowance.')
const noEntries = emptyState('No entries yet', 'Changes by operators to this account are recorded here.')

function factsOf({ account, balance, keys, days }: AccountShown): readonly (Fact | false)[] {
  const active = keys.filter(
    (key) => !key.revokedAt && !(key.expiresAt && key.expiresAt.getTime() <= Date.now()),
  )
  const turns = days.reduce((sum, row) => sum + row.turns, 0)
  const micros = days.reduce((sum, row) => sum + row.costMicros, 0n)
  return [
    ['Plan', account.plan],
    ['Credits left', creditsText(balance.availableMicros)],
    ['Held for running turns', creditsText(balance.heldMicros)],
    ['Active keys', active.length],
    ['Last 30 days', `${counted(turns, 'turn')}, ${creditsText(micros)} credits`],
    ['Created', formatDate(account.createdAt)],
    ['ID', html`<code>${account.id}</code>`],
    account.operator && ['Role', 'operator'],
    account.suspendedAt !== null && ['Suspended', html`since ${formatDate(account.suspendedAt)}`],
  ]
}

function planCard({ account, plans }: AccountShown): Html {
  return html`<section class="card narrow-left"><h2>Plan</h2>
<form method="post" action="/operator/accounts/${account.id}/plan">
${selectField({ label: 'Plan', name: 'plan', options: planOptions(plans), selected: account.plan })}
<p class="hint">The new plan applies from the next request. A higher plan adds its extra credits immediately; a lower
plan removes none before the month ends.</p>
<button>Change the plan</button></form></section>`
}

type AmountForm = {
  readonly action: string
  /** The newest pool or audit entry: a form that is sent twice changes the credits once. */
  readonly seen: string
  readonly label: string
  readonly value: string | undefined
  readonly hint: Html
  readonly submit: string
}

function amountForm(form: AmountForm): Html {
  const hintId = `${form.label.toLowerCase().replaceAll(' ', '-')}-hint`
  return html`<form method="post" action="${form.action}"><input type="hidden" name="seen" value="${form.seen}">
<label>${form.label} <input name="amount" inputmode="decimal" required maxlength="20" dir="ltr"
value="${form.value ?? ''}" aria-describedby="${hintId}"></label>
<p class="hint" id="${hintId}">${form.hint}</p>
<button>${form.submit}</button></form>`
}

function grantCard({ account, newestPool, amount }: AccountShown): Html {
  return html`<section class="card narrow-left"><h2>Grant credits</h2>${amountForm({
    action: `/operator/accounts/${account.id}/grant`,
    seen: newestPool,
    label: 'Credits',
    value: amount,
    hint: html`Granted credits do not expire.`,
    submit: 'Grant credits',
  })}</section>`
}

function takeBackCard({ account, balance, newestEntry, takeBack }: AccountShown): Html {
  return html`<section class="card narrow-left"><h2>Take credits back</h2>${amountForm({
    action: `/operator/accounts/${account.id}/take-back`,
    seen: newestEntry,
    label: 'Amount to take back',
    value: takeBack,
    hint: html`At most the ${creditsText(balance.availableMicros)} credits that are left. Credits held for running turns
stay. Credits that do not expire are taken first.`,
    submit: 'Take credits back',
  })}</section>`
}

function passwordCard({ id }: Account): Html {
  return html`<section class="card narrow-left"><h2>Reset the password</h2>
<form method="post" action="/operator/accounts/${id}/reset-password">
<p>Creates a link that lets the owner set a new password. It works once, for ${resetHours} hours, and replaces an
earlier link.</p>
<button>Create a password reset link</button></form></section>`
}

/** Suspension and deletion. Operators can do neither to the account they are signed in with. */
function accessCards({ account, viewer }: AccountShown): Html {
  if (account.id === viewer.id) {
    return html`<section class="card narrow-left"><h2>Suspend or delete</h2>
<p>This is your own account: you cannot suspend it. Delete it under <a href="/settings/account">Settings</a>.</p>
</section>`
  }
  const path = `/operator/accounts/${account.id}`
  return html`${account.suspendedAt ? resumeCard(path) : suspendCard(path)}\n${deleteCard(path)}`
}

function resumeCard(path: string): Html {
  return html`<section class="card narrow-left"><h2>Suspended</h2>
<p>Nobody can sign in to this account, and its keys are refused. Its data stays.</p>
<form method="post" action="${path}/resume"><button>Resume the account</button></form></section>`
}

function suspendCard(path: string): Html {
  return html`<section class="card narrow-left"><h2>Suspend</h2>
<p>Stops its keys, browser sessions and turns immediately. Its data stays, and you can resume the account.</p>
${confirmDialog({
  label: 'Suspend the account…',
  question: 'Running turns are cancelled and charged for the work done so far.',
  action: `${path}/suspend`,
  confirm: 'Suspend the account',
})}</section>`
}

function deleteCard(path: string): Html {
  return html`<section class="card narrow-left"><h2>Delete</h2>
<p>Deletes its keys, projects, conversations and files. Remaining credits are lost. The ledger and the audit log
stay.</p>
${confirmDialog({
  label: 'Delete the account…',
  question: 'This cannot be undone.',
  action: `${path}/delete`,
  confirm: 'Delete everything',
  fields: html`<label>Enter the e-mail address of the account to confirm
<input type="email" name="confirm" required autocomplete="off" dir="ltr"></label>`,
})}</section>`
}

function poolTable(pools: readonly Pool[]): Html {
  return dataTable({
    label: 'Pools',
    rows: pools,
    columns: [
      {
        name: 'From',
        kind: 'title',
        cell: ({ kind }) => (kind === 'allowance' ? 'Monthly allowance' : 'Grant'),
      },
      { name: 'Granted', cell: ({ createdAt }) => formatDate(createdAt) },
      { name: 'Left', kind: 'number', cell: ({ availableMicros }) => creditsText(availableMicros) },
      { name: 'Held', kind: 'number', cell: ({ heldMicros }) => creditsText(heldMicros) },
      { name: 'Until', cell: ({ expiresAt }) => (expiresAt ? formatDate(expiresAt) : 'does not expire') },
    ],
  })
}
