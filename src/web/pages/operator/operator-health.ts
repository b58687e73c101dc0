import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type Examination, examineAll } from '../../../billing/checks/examine.ts'
import { invariants } from '../../../billing/checks/invariants.ts'
import {
  type DatabaseHealth,
  databaseHealth,
  type FailureHealth,
  failureHealth,
  type QueueHealth,
  queueHealth,
  type TableSize,
  tableSizes,
} from '../../../operations/health.ts'
import { readIndexMark } from '../../../sources/index/index-mark.ts'
import { readFields } from '../../components/forms.ts'
import { operator } from '../../components/guards.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, notice, type Page, sendPage, tabs } from '../../components/page.ts'
import { bytesText } from '../../components/sizes.ts'
import { counted } from '../../components/texts.ts'
import { duration, instant } from '../../components/times.ts'
import type { WebServices } from '../services.ts'
import { operatorTabs } from './operator-tabs.ts'

const query = z.object({ check: z.literal('money').optional().catch(undefined) })

type Shown = {
  readonly database: DatabaseHealth
  readonly tables: readonly TableSize[]
  readonly queue: QueueHealth
  readonly failures: FailureHealth
  /** Number of texts that wait for the search index. */
  readonly waitingTexts: number
  /** Undefined: not asked for. */
  readonly examination: Examination | undefined
}

/** `/operator/health`: state of the service, and failures of the last day. */
export function operatorHealthPage(app: FastifyInstance, { database }: WebServices): void {
  app.get('/operator/health', operator, async (request, reply) => {
    const { check } = readFields(query, request.query)
    const { system } = database
    const mark = await readIndexMark(system)
    return sendPage(
      request,
      reply,
      healthPage({
        database: await databaseHealth(system),
        tables: await tableSizes(system),
        queue: await queueHealth(system),
        failures: await failureHealth(system),
        waitingTexts: mark.nextDoc - mark.indexedTo,
        examination: check === 'money' ? await examineAll(database, { timeoutSeconds: 30 }) : undefined,
      }),
    )
  })
}

function healthPage(shown: Shown): Page {
  const { database, queue, waitingTexts } = shown
  return {
    title: 'Health',
    section: 'operator',
    sheets: ['operator'],
    main: html`<h1>Operator</h1>${tabs(operatorTabs, '/operator/health')}
<h2>Now</h2>
<dl class="facts"><div><dt>Database</dt><dd>Postgres ${database.version}, answers in ${Math.max(1, Math.round(database.answerMs))} ms</dd></div>
<div><dt>Its size</dt><dd>${bytesText(database.bytes)}</dd></div><div><dt>Connections</dt><dd>${database.connections}</dd></div><div><dt>Started</dt><dd>${instant(database.startedAt)}</dd></div>
<div><dt>Turns running</dt><dd>${queue.inProgress}${ageOf(queue.oldestRunningSeconds)}</dd></div><div><dt>Turns waiting</dt><dd>${queue.queued}${ageOf(queue.oldestQueuedSeconds)}</dd></div>
<div><dt>Without an owner</dt><dd>${queue.orphaned}</dd></div><div><dt>Search index</dt><dd>${waitingTexts === 0 ? 'complete' : `${counted(waitingTexts, 'text')} to come`}</dd></div></dl>
${queue.orphaned > 0 ? notice('note', 'A turn whose process is gone is taken over by another within about 20 seconds. Look again: if it stays, no process is taking turns.') : nothing}
${replicaTable(queue)}
${moneyRules(shown.examination)}
${failureSection(shown.failures)}
<h2>Largest tables</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Largest tables"><table><thead><tr><th>Table</th><th class="number">Rows, about</th><th class="number">Size with indexes</th></tr></thead><tbody>${shown.tables.map(({ name, rows, bytes }) => html`<tr><th scope="row"><code>${name}</code></th><td class="number">${rows === null ? html`<span class="faint">not counted yet</span>` : rows.toLocaleString('en')}</td><td class="number">${bytesText(bytes)}</td></tr>`)}</tbody></table></div>`,
  }
}

function ageOf(seconds: number | null): Html {
  return seconds === null
    ? nothing
    : html` <small class="faint">the oldest for ${duration(seconds * 1_000)}</small>`
}

function replicaTable({ replicas }: QueueHealth): Html {
  if (replicas.length === 0) return html`<p class="faint">No process is driving a turn at the moment.</p>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Processes"><table><thead><tr><th>Process</th><th class="number">Turns</th><th>Lease until (UTC)</th></tr></thead><tbody>${replicas.map(({ owner, runs, renewedUntil }) => html`<tr><th scope="row"><code>${owner}</code></th><td class="number">${runs}</td><td>${instant(renewedUntil)}</td></tr>`)}</tbody></table></div>`
}

function moneyRules(found: Examination | undefined): Html {
  return html`<div class="head"><h2>Rules of the money</h2><a class="button quiet" href="/operator/health?check=money">Check them now</a></div>
${found === undefined ? html`<p>The service checks ${invariants.length} rules every ten minutes. A broken one is logged, and the metric <code>service_broken_invariants</code> counts them.</p>` : examinationOf(found)}`
}

function examinationOf({ broken, unchecked }: Examination): Html {
  if (broken.length + unchecked.length === 0) return notice('done', `All ${invariants.length} rules hold.`)
  return html`${broken.length > 0 ? notice('problem', `${counted(broken.length, 'rule')} of ${invariants.length} broken.`) : nothing}${broken.map(({ invariant, rows }) => html`<h3>${invariant}</h3><pre tabindex="0">${rows.map((row) => JSON.stringify(row)).join('\n')}</pre>`)}
${unchecked.length > 0 ? notice('problem', `${counted(unchecked.length, 'rule')} of ${invariants.length} could not be checked.`) : nothing}${unchecked.map(({ invariant, reason }) => html`<h3>${invariant}</h3><pre tabindex="0">${reason}</pre>`)}`
}

function failureSection({ byCode, newest, ended }: FailureHealth): Html {
  const failed = byCode.reduce((sum, { runs }) => sum + runs, 0)
  return html`<h2>Failures of the last day</h2>
${
  failed === 0
    ? emptyState('No turn has failed', `${counted(ended, 'turn')} ended in the last 24 hours.`)
    : html`<p>${counted(failed, 'turn')} of ${ended} failed: ${byCode.map(({ code, runs }, i) => html`${i > 0 ? ', ' : nothing}<code>${code}</code> ${runs}`)}.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Failures"><table><thead><tr><th>Time (UTC)</th><th>Code</th><th>Message</th><th>Model</th><th>Run</th><th>Account</th></tr></thead><tbody>${newest.map(
        (failure) =>
          html`<tr><td>${instant(failure.at)}</td><td><code>${failure.code}</code></td><td class="message" dir="auto">${failure.message}</td><td><code>${failure.model}</code></td><td><code>${failure.runId}</code></td><td><a href="/operator/accounts/${failure.accountId}" title="${failure.accountId}">Account</a></td></tr>`,
      )}</tbody></table></div>`
}`
}
