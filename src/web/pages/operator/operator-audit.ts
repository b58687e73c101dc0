import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type AuditEntry, listAuditEntries } from '../../../accounts/audit.ts'
import { readFields } from '../../components/forms.ts'
import { html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { emptyState, type Page, sendPage } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import { operatorsOnly } from '../../components/route-guards.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
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
    return sendPage(reply, auditPage(textsOf(request), asked, entries, found.length > entriesShown))
  })
}

function auditPage(t: Texts, asked: Query, entries: readonly AuditEntry[], hasMore: boolean): Page {
  const texts = t.operator.accounts
  const { account, before } = asked
  const last = entries.at(-1)
  const href = (to?: bigint) => withQuery('/operator/audit', { account, before: to?.toString() })
  return operatorPage(t, {
    title: t.operator.accounts.tabs.audit,
    path: '/operator/audit',
    main: html`<h2>${t.operator.accounts.tabs.audit}</h2>
<p>${texts.auditAbout}</p>
${account ? html`<p>${texts.onlyAccount(account)}</p>` : nothing}
${entries.length === 0 ? emptyState(texts.noEntries, texts.noEntriesHint) : auditTable(t, entries)}
${pager(
  before !== undefined && { label: t.common.newest, href: href() },
  hasMore && last !== undefined && { label: t.common.older, href: href(last.id) },
)}`,
  })
}
