import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type AuditEntry, listAuditEntries } from '../../../accounts/audit.ts'
import { readFields } from '../../components/forms.ts'
import { operator } from '../../components/guards.ts'
import { html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { emptyState, type Page, sendPage, tabs } from '../../components/page.ts'
import type { WebServices } from '../services.ts'
import { auditTable } from './audit-view.ts'
import { operatorTabs } from './operator-tabs.ts'

const entriesShown = 50

const query = z.object({
  /** The account that the entries are about. */
  account: z.string().max(100).optional(),
  before: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
})

type Query = z.infer<typeof query>

/** `/operator/audit`: actions of operators, newest first. */
export function operatorAuditPage(app: FastifyInstance, { database }: WebServices): void {
  app.get('/operator/audit', operator, async (request, reply) => {
    const asked = readFields(query, request.query)
    const found = await listAuditEntries(database.system, {
      accountId: asked.account || undefined,
      before: asked.before === undefined ? undefined : BigInt(asked.before),
      limit: entriesShown + 1,
    })
    const entries = found.slice(0, entriesShown)
    return sendPage(request, reply, auditPage(asked, entries, found.length > entriesShown))
  })
}

function auditPage(asked: Query, entries: readonly AuditEntry[], hasMore: boolean): Page {
  const last = entries.at(-1)
  return {
    title: 'Audit log',
    section: 'operator',
    sheets: ['operator'],
    main: html`<h1>Operator</h1>${tabs(operatorTabs, '/operator/audit')}
<h2>Audit log</h2>
<p>What operators did to accounts, on these pages and on the command line, and which passwords were reset. Entries cannot be changed or removed.</p>
${asked.account ? html`<p>Only the account <code>${asked.account}</code>. <a href="/operator/audit">Show all</a></p>` : nothing}
${entries.length === 0 ? emptyState('No entries', 'What operators do is recorded here.') : auditTable(entries)}
<p class="pager">${asked.before === undefined ? nothing : html`<a class="button quiet" href="${withQuery('/operator/audit', { account: asked.account })}">Newest</a>`}${hasMore && last ? html`<a class="button quiet" href="${withQuery('/operator/audit', { account: asked.account, before: last.id.toString() })}">Older</a>` : nothing}</p>`,
  }
}
