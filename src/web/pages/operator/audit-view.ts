import { type AuditEntry, commandLine } from '../../../accounts/audit.ts'
import { type Column, dataTable } from '../../components/data-table.ts'
import { type Html, html } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** Audit entries as a table; `ofOne` leaves out the account that they are about. */
export function auditTable(t: Texts, entries: readonly AuditEntry[], ofOne = false): Html {
  const texts = t.operator.accounts
  const actions: Readonly<Record<string, string>> = texts.actions
  const account: Column<AuditEntry> = { name: texts.account, cell: (entry) => accountOf(t, entry) }
  return dataTable({
    label: t.operator.accounts.tabs.audit,
    rows: entries,
    columns: [
      { name: t.common.time, cell: ({ at }) => t.minute(at) },
      { name: texts.action, kind: 'title', cell: ({ action }) => actions[action] ?? action },
      ...(ofOne ? [] : [account]),
      { name: texts.by, cell: (entry) => actorOf(t, entry) },
      { name: texts.details, cell: detailsOf },
    ],
  })
}

function accountOf(t: Texts, { accountId, email }: AuditEntry): Html {
  return accountId === ''
    ? html`<span class="faint">${t.operator.accounts.theLibrary}</span>`
    : accountLink(t, accountId, email)
}

function actorOf(t: Texts, { actor, actorEmail, accountId }: AuditEntry): Html {
  if (actor === commandLine) return html`${t.operator.accounts.commandLine}`
  return actor === accountId ? html`${t.operator.accounts.theOwner}` : accountLink(t, actor, actorEmail)
}

function accountLink({ common }: Texts, id: string, email: string | null): Html {
  return email === null
    ? html`<code>${id}</code> <span class="faint">${common.deleted}</span>`
    : html`<a href="/operator/accounts/${id}" title="${id}" dir="auto">${email}</a>`
}

function detailsOf({ details }: AuditEntry): Html {
  const facts = Object.entries(details as Readonly<Record<string, unknown>>).filter(
    ([, value]) => value !== null,
  )
  const said = facts.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value}`).join(', ')
  return html`<span lang="en" dir="ltr">${said}</span>`
}
