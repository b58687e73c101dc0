import { type AuditEntry, auditActions, commandLine } from '../../../accounts/audit.ts'
import { type Column, dataTable } from '../../components/data-table.ts'
import { type Html, html } from '../../components/html.ts'
import { formatDateTime } from '../../components/times.ts'

const labels: Readonly<Record<string, string>> = auditActions

/** Audit entries as a table; `ofOne` leaves out the account that they are about. */
export function auditTable(entries: readonly AuditEntry[], ofOne = false): Html {
  const account: Column<AuditEntry> = { name: 'Account', cell: accountOf }
  return dataTable({
    label: 'Audit log',
    rows: entries,
    columns: [
      { name: 'Time (UTC)', cell: ({ at }) => formatDateTime(at) },
      { name: 'Action', kind: 'title', cell: ({ action }) => labels[action] ?? action },
      ...(ofOne ? [] : [account]),
      { name: 'By', cell: actorOf },
      { name: 'Details', cell: detailsOf },
    ],
  })
}

function accountOf({ accountId, email }: AuditEntry): Html {
  return accountId === '' ? html`<span class="faint">the library</span>` : accountLink(accountId, email)
}

function actorOf({ actor, actorEmail, accountId }: AuditEntry): Html {
  if (actor === commandLine) return html`command line`
  return actor === accountId ? html`the owner` : accountLink(actor, actorEmail)
}

function accountLink(id: string, email: string | null): Html {
  return email === null
    ? html`<code>${id}</code> <span class="faint">deleted</span>`
    : html`<a href="/operator/accounts/${id}" title="${id}" dir="auto">${email}</a>`
}

function detailsOf({ details }: AuditEntry): Html {
  const facts = Object.entries(details as Readonly<Record<string, unknown>>).filter(
    ([, value]) => value !== null,
  )
  return html`${facts.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value}`).join(', ')}`
}
