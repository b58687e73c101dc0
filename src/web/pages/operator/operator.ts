import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type AuditEntry, listAuditEntries } from '../../../accounts/audit.ts'
import { withTx } from '../../../db/client.ts'
import { explainRun } from '../../../turns/read/explain.ts'
import { readRun } from '../../../turns/run/runs.ts'
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
import { operatorHealthPage } from './health/operator-health.ts'
import { operatorAccessPages } from './operator-access.ts'
import { operatorAccountPage } from './operator-account.ts'
import { operatorAccountPages } from './operator-accounts.ts'
import { operatorCollectionPages } from './operator-collections.ts'
import { operatorLibraryPage } from './operator-library.ts'
import { operatorPage } from './operator-page.ts'

/** `/operator`: pages for operators. For other accounts these pages do not exist. */
export function operatorPages(app: FastifyInstance, services: WebServices): void {
  operatorAccountPages(app, services)
  operatorAccountPage(app, services)
  operatorAccessPages(app, services)
  operatorAuditPage(app, services)
  operatorRunPage(app, services)
  operatorLibraryPage(app, services)
  operatorCollectionPages(app, services)
  operatorHealthPage(app, services)
}

const runQuery = z.object({ run: z.string().trim().max(100).optional() })

/** `/operator/runs`: why one turn was admitted and charged; nothing of what was asked and answered. */
function operatorRunPage(app: FastifyInstance, { database }: WebServices): void {
  app.get('/operator/runs', operatorsOnly, async (request, reply) => {
    const t = textsOf(request)
    const texts = t.operator.accounts
    const { run: id = '' } = readFields(runQuery, request.query)
    const explained = await withTx(database, 'system', async (tx) => {
      const run = id === '' ? undefined : await readRun(tx, id)
      return run && { account: run.accountId, lines: await explainRun(tx, run) }
    })
    const found = explained
      ? html`<p><a href="/operator/accounts/${explained.account}">${texts.account}</a></p>
<ol dir="ltr">${explained.lines.map((line) => html`<li>${line}</li>`)}</ol>`
      : emptyState(texts.noTurn, texts.noTurnHint)
    return sendPage(
      reply,
      operatorPage(t, {
        title: texts.tabs.turns,
        path: '/operator/runs',
        main: html`<h2>${texts.tabs.turns}</h2>
<p>${texts.turnsAbout}</p>
<form action="/operator/runs" class="filters"><label>${texts.turnId}
<input name="run" value="${id}" dir="ltr" required maxlength="100" spellcheck="false" autocomplete="off"></label>
<button>${texts.explainTurn}</button></form>
${id === '' ? nothing : found}`,
      }),
    )
  })
}

const entriesShown = 50

const auditQuery = z.object({
  /** The account that the entries are about. */
  account: z.string().max(100).optional(),
  before: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
})

type Query = z.infer<typeof auditQuery>

/** `/operator/audit`: actions of operators, newest first. */
function operatorAuditPage(app: FastifyInstance, { database }: WebServices): void {
  app.get('/operator/audit', operatorsOnly, async (request, reply) => {
    const asked = readFields(auditQuery, request.query)
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
