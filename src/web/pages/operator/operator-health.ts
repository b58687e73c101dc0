import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type Examination, examineAll } from '../../../billing/checks/examine.ts'
import { invariants } from '../../../billing/checks/invariants.ts'
import {
  type DatabaseHealth,
  databaseHealth,
  type FailureHealth,
  failureHealth,
  type LibraryHealth,
  libraryHealth,
  type QueueHealth,
  queueHealth,
  type TableSize,
  tableSizes,
} from '../../../operations/health.ts'
import { readIndexWatermark } from '../../../sources/index/index-watermark.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Fact, factList } from '../../components/fact-list.ts'
import { readFields } from '../../components/forms.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, notice, type Page, sendPage } from '../../components/page.ts'
import { operatorsOnly } from '../../components/route-guards.ts'
import { bytesText } from '../../components/sizes.ts'
import { counted } from '../../components/texts.ts'
import { formatDateTime, formatDuration } from '../../components/times.ts'
import type { WebServices } from '../services.ts'
import { operatorPage } from './operator-page.ts'

const query = z.object({ check: z.literal('money').optional().catch(undefined) })

type Shown = {
  readonly database: DatabaseHealth
  readonly tables: readonly TableSize[]
  readonly queue: QueueHealth
  readonly failures: FailureHealth
  /** Undefined: the library is in the main database. */
  readonly library: LibraryHealth | undefined
  /** Texts that are not in the search index yet. Undefined while the library database cannot be used. */
  readonly waitingTexts: number | undefined
  /** Undefined unless the checks were requested. */
  readonly examination: Examination | undefined
}

/** `/operator/health`: state of the service, and failures of the last day. */
export function operatorHealthPage(app: FastifyInstance, { database, library }: WebServices): void {
  app.get('/operator/health', operatorsOnly, async (request, reply) => {
    const { check } = readFields(query, request.query)
    const { system } = database
    const libraryNow = await libraryHealth(library)
    const isUsable = libraryNow === undefined || /^(ok|read-only)$/.test(libraryNow.state)
    const mark = isUsable ? await readIndexWatermark(library.system) : undefined
    return sendPage(
      request,
      reply,
      healthPage({
        database: await databaseHealth(system),
        tables: await tableSizes(system),
        queue: await queueHealth(system),
        failures: await failureHealth(system),
        library: libraryNow,
        waitingTexts: mark && mark.nextDoc - mark.indexedTo,
        examination: check === 'money' ? await examineAll(database, { timeoutSeconds: 30 }) : undefined,
      }),
    )
  })
}

function healthPage(shown: Shown): Page {
  const { queue } = shown
  return operatorPage({
    title: 'Health',
    path: '/operator/health',
    main: html`<h2>Now</h2>
${factList(factsOf(shown))}
${queue.orphaned > 0 ? orphanNote : nothing}
${replicaTable(queue)}
${ledgerChecks(shown.examination)}
${failureSection(shown.failures)}
<h2>Largest tables</h2>
${sizeTable(shown.tables)}`,
  })
}

function factsOf({ database, library, queue, waitingTexts }: Shown): readonly Fact[] {
  const answerMs = Math.max(1, Math.round(database.answerMs))
  return [
    ['Database', `Postgres ${database.version}, answers in ${answerMs} ms`],
    ['Database size', bytesText(database.bytes)],
    ['Connections', database.connections],
    ['Started', formatDateTime(database.startedAt)],
    ['Turns running', html`${queue.inProgress}${ageOf(queue.oldestRunningSeconds)}`],
    ['Turns queued', html`${queue.queued}${ageOf(queue.oldestQueuedSeconds)}`],
    ['Turns without an owner', queue.orphaned],
    ...(library ? [['Library database', libraryText(library)] as const] : []),
    ['Search index', indexText(waitingTexts)],
  ]
}

const libraryText = ({ name, state, reason }: LibraryHealth) => `${name}: ${reason || state}`

function indexText(waitingTexts: number | undefined): string {
  if (waitingTexts === undefined) return 'not known'
  return waitingTexts === 0 ? 'complete' : `${counted(waitingTexts, 'text')} not indexed yet`
}

function ageOf(seconds: number | null): Html {
  return seconds === null
    ? nothing
    : html` <small class="faint">oldest: ${formatDuration(seconds * 1_000)}</small>`
}

const orphanNote = notice(
  'note',
  html`When a process fails, another process takes over its turns within about 20 seconds. If turns stay without an
owner longer, no process takes turns.`,
)

function replicaTable({ replicas }: QueueHealth): Html {
  if (replicas.length === 0) return html`<p class="faint">No process is running a turn.</p>`
  return dataTable({
    label: 'Processes',
    rows: replicas,
    columns: [
      { name: 'Process', kind: 'title', cell: ({ owner }) => html`<code>${owner}</code>` },
      { name: 'Turns', kind: 'number', cell: ({ runs }) => runs },
      { name: 'Lease until (UTC)', cell: ({ renewedUntil }) => formatDateTime(renewedUntil) },
    ],
  })
}

function ledgerChecks(found: Examination | undefined): Html {
  return html`<div class="head"><h2>Ledger checks</h2>
<a class="button quiet" href="/operator/health?check=money">Run the checks now</a></div>
${found === undefined ? scheduleNote : examinationOf(found)}`
}

const scheduleNote = html`<p>The service runs ${invariants.length} checks every ten minutes. It logs each failed check,
and the metric <code>service_broken_invariants</code> counts them.</p>`

function examinationOf({ broken, unchecked }: Examination): Html {
  const total = invariants.length
  if (broken.length + unchecked.length === 0) return notice('done', `All ${total} checks passed.`)
  const failed = `${counted(broken.length, 'check')} of ${total} failed.`
  const notRun = `${counted(unchecked.length, 'check')} of ${total} could not run.`
  return html`${broken.length > 0 ? notice('problem', failed) : nothing}
${broken.map(({ invariant, rows }) => checkDetails(invariant, rows.map((row) => JSON.stringify(row)).join('\n')))}
${unchecked.length > 0 ? notice('problem', notRun) : nothing}
${unchecked.map(({ invariant, reason }) => checkDetails(invariant, reason))}`
}

function checkDetails(invariant: string, text: string): Html {
  return html`<h3>${invariant}</h3><pre tabindex="0">${text}</pre>`
}

function failureSection(failures: FailureHealth): Html {
  const { byCode, ended } = failures
  const failed = byCode.reduce((sum, { runs }) => sum + runs, 0)
  const noFailures = emptyState('No turn failed', `${counted(ended, 'turn')} ended in the last 24 hours.`)
  const codes = byCode.map(({ code, runs }, i) => html`${i > 0 ? ', ' : nothing}<code>${code}</code> ${runs}`)
  const summary = html`<p>${counted(failed, 'turn')} of ${ended} failed: ${codes}.</p>`
  return html`<h2>Failures in the last 24 hours</h2>
${failed === 0 ? noFailures : html`${summary}${failureTable(failures)}`}`
}

function failureTable({ newest }: FailureHealth): Html {
  return dataTable({
    label: 'Failures',
    rows: newest,
    columns: [
      { name: 'Time (UTC)', cell: ({ at }) => formatDateTime(at) },
      { name: 'Code', cell: ({ code }) => html`<code>${code}</code>` },
      { name: 'Message', className: 'message', isName: true, cell: ({ message }) => message },
      { name: 'Model', cell: ({ model }) => html`<code>${model}</code>` },
      { name: 'Run', cell: ({ runId }) => html`<code>${runId}</code>` },
      {
        name: 'Account',
        cell: ({ accountId }) =>
          html`<a href="/operator/accounts/${accountId}" title="${accountId}">Account</a>`,
      },
    ],
  })
}

function sizeTable(tables: readonly TableSize[]): Html {
  return dataTable({
    label: 'Largest tables',
    rows: tables,
    columns: [
      { name: 'Table', kind: 'title', cell: ({ name }) => html`<code>${name}</code>` },
      { name: 'Rows, about', kind: 'number', cell: ({ rows }) => rows?.toLocaleString('en') ?? notCounted },
      { name: 'Size with indexes', kind: 'number', cell: ({ bytes }) => bytesText(bytes) },
    ],
  })
}

const notCounted = html`<span class="faint">not counted yet</span>`
