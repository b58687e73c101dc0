import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type AuditEntry, listAuditEntries } from '../../../accounts/audit.ts'
import { readFields } from '../../components/forms.ts'
import { html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { emptyState, type Page, sendPage } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import { operatorsOnly } from '../../components/route-guards.ts'
import type { WebServices } from '../services.ts'
import { auditTable } from './audit-view.ts'
import { operatorPage } from './operator-page.ts'

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
  app.get('/operator/audit', operatorsOnly, async (request, reply) => {
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
  const { account, before } = asked
  const last = entries.at(-1)
  const href = (to?: bigint) => withQuery('/operator/audit', { account, before: to?.toString() })
  return operatorPage({
    title: 'Audit log',
    path: '/operator/audit',
    main: html`<h2>Audit log</h2>
<p>Changes to accounts and to the library by operators, on these pages and on the command line, and password resets.
Nobody can change or remove entries.</p>
${account ? html`<p>Only the account <code>${account}</code>. <a href="/operator/audit">Show all</a></p>` : nothing}
${entries.length === 0 ? noEntries : auditTable(entries)}
${pager(
  before !== undefined && { label: 'Newest', href: href() },
  hasMore && last !== undefined && { label: 'Older', href: href(last.id) },
)}`,
  })
}

const noEntries = emptyState('No entries', 'Changes by operators are recorded here.')
