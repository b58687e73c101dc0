import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { explainRun } from '../../../turns/read/explain.ts'
import { readRun } from '../../../turns/run/runs.ts'
import { readFields } from '../../components/forms.ts'
import { html, nothing } from '../../components/html.ts'
import { emptyState, sendPage } from '../../components/page.ts'
import { operatorsOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { operatorPage } from './operator-page.ts'

const query = z.object({ run: z.string().trim().max(100).optional() })

/** `/operator/runs`: why one turn was admitted and charged; nothing of what was asked and answered. */
export function operatorRunPage(app: FastifyInstance, { database }: WebServices): void {
  app.get('/operator/runs', operatorsOnly, async (request, reply) => {
    const t = textsOf(request)
    const texts = t.operator.accounts
    const { run: id = '' } = readFields(query, request.query)
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
