import { type AuditEntry, auditActions, commandLine } from '../../../accounts/audit.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { instant } from '../../components/times.ts'

const labels: Readonly<Record<string, string>> = auditActions

/** Audit entries as a table; `ofOne` leaves out the column of accounts. */
export function auditTable(entries: readonly AuditEntry[], ofOne = false): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Audit log"><table><thead><tr><th>Time (UTC)</th><th>Action</th>${ofOne ? nothing : html`<th>Account</th>`}<th>By</th><th>Details</th></tr></thead><tbody>${entries.map(
    (entry) =>
      html`<tr><td>${instant(entry.at)}</td><th scope="row">${labels[entry.action] ?? entry.action}</th>${ofOne ? nothing : html`<td>${accountOf(entry)}</td>`}<td>${actorOf(entry)}</td><td>${detailsOf(entry)}</td></tr>`,
  )}</tbody></table></div>`
}

function accountOf({ accountId, email }: AuditEntry): Html {
  return email === null
    ? html`<code>${accountId}</code> <span class="faint">deleted</span>`
    : html`<a href="/operator/accounts/${accountId}" title="${accountId}" dir="auto">${email}</a>`
}

function actorOf({ actor, actorEmail, accountId }: AuditEntry): Html {
  if (actor === commandLine) return html`command line`
  if (actor === accountId) return html`its owner`
  return actorEmail === null
    ? html`<code>${actor}</code> <span class="faint">deleted</span>`
    : html`<a href="/operator/accounts/${actor}" title="${actor}" dir="auto">${actorEmail}</a>`
}

function detailsOf({ details }: AuditEntry): Html {
  const facts = Object.entries(details as Readonly<Record<string, unknown>>).filter(
    ([, value]) => value !== null,
  )
  return html`${facts.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value}`).join(', ')}`
}
