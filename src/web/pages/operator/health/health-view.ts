import type { CheckState, Examination } from '../../../../billing/checks/examine.ts'
import { invariants } from '../../../../billing/checks/invariants.ts'
import type { ModelCheck } from '../../../../models/check/model-check.ts'
import type {
  DatabaseHealth,
  FailureHealth,
  LibraryHealth,
  QueueHealth,
  TableSize,
} from '../../../../operations/health.ts'
import { dataTable, type Fact, factList } from '../../../components/data-table.ts'
import { type Html, html, listed, nothing } from '../../../components/html.ts'
import { emptyState, notice, type Page } from '../../../components/page.ts'
import type { Texts } from '../../../texts/catalogue.ts'
import { operatorPage } from '../operator-page.ts'
import { modelChecks } from './model-checks-view.ts'

type Shown = {
  readonly database: DatabaseHealth
  readonly tables: readonly TableSize[]
  readonly queue: QueueHealth
  readonly failures: FailureHealth
  /** The last one of each model. */
  readonly modelChecks: readonly ModelCheck[]
  /** Undefined: the library is in the main database. */
  readonly library: LibraryHealth | undefined
  /** Texts that are not in the search index yet. Undefined while the library database cannot be used. */
  readonly waitingTexts: number | undefined
  /** Undefined unless the checks were requested. */
  readonly examination: Examination | undefined
  /** The newest check of any replica. */
  readonly lastCheck: CheckState | undefined
}

/** The state of the service, and failures of the last day. */
export function healthPage(t: Texts, shown: Shown): Page {
  const { queue } = shown
  const texts = t.operator.health
  return operatorPage(t, {
    title: t.operator.accounts.tabs.health,
    path: '/operator/health',
    main: html`${verdict(t, shown)}
<h2>${texts.now}</h2>
${factList(factsOf(t, shown))}
${queue.orphaned > 0 ? notice('note', texts.orphanNote) : nothing}
${replicaTable(t, queue)}
${ledgerChecks(t, shown)}
${failureSection(t, shown.failures)}
${modelChecks(t, shown.modelChecks)}
<h2>${texts.largest}</h2>
${sizeTable(t, shown.tables)}`,
  })
}

/** One verdict on the whole service: well, not checked yet, or the parts of this page that need somebody. */
function verdict(t: Texts, shown: Shown): Html {
  const { queue, modelChecks: models, lastCheck, examination } = shown
  const { health, models: modelTexts } = t.operator
  const total = invariants.length
  const found = examination ?? lastCheck
  const passed = found && total - found.broken.length - found.unchecked.length
  const ill = [
    ...(queue.orphaned > 0 ? [health.orphaned] : []),
    ...(shown.waitingTexts === undefined ? [health.libraryDatabase] : []),
    ...(passed === undefined || passed === total ? [] : [health.ledger]),
    ...(models.every((model) => model.good_enough) ? [] : [modelTexts.title]),
  ]
  const age = examination || !lastCheck ? 1_000 : Date.now() - lastCheck.checkedAt.getTime()
  const check = passed === undefined ? health.never : health.lastCheck(passed, total, t.duration(age))
  if (ill.length > 0) return notice('problem', `${health.needsAttention(ill.join(', '))} ${check}`)
  return found ? notice('done', `${health.well} ${check}`) : notice('note', check)
}

function factsOf(t: Texts, { database, library, queue, waitingTexts }: Shown): readonly Fact[] {
  const { health } = t.operator
  const answerMs = Math.max(1, Math.round(database.answerMs))
  return [
    [health.database, health.postgres(database.version, answerMs)],
    [health.databaseSize, t.bytes(database.bytes)],
    [health.connections, database.connections],
    [health.started, t.minute(database.startedAt)],
    [health.running, html`${queue.inProgress}${ageOf(t, queue.oldestRunningSeconds)}`],
    [health.queued, html`${queue.queued}${ageOf(t, queue.oldestQueuedSeconds)}`],
    [health.orphaned, queue.orphaned],
    ...(library ? [[health.libraryDatabase, libraryText(library)] as const] : []),
    [health.index, indexText(t, waitingTexts)],
  ]
}

function libraryText({ name, state, reason }: LibraryHealth): Html {
  return html`<bdi dir="ltr">${name}: ${reason || state}</bdi>`
}

function indexText({ operator: { health } }: Texts, waitingTexts: number | undefined): string {
  if (waitingTexts === undefined) return health.notKnown
  return waitingTexts === 0 ? health.complete : health.notIndexed(waitingTexts)
}

function ageOf(t: Texts, seconds: number | null): Html {
  if (seconds === null) return nothing
  return html` <small class="faint">${t.operator.health.oldest(t.duration(seconds * 1_000))}</small>`
}

function replicaTable(t: Texts, { replicas }: QueueHealth): Html {
  const { health } = t.operator
  if (replicas.length === 0) return html`<p class="faint">${health.noProcess}</p>`
  return dataTable({
    label: health.processes,
    rows: replicas,
    columns: [
      { name: health.process, kind: 'title', cell: ({ owner }) => html`<code>${owner}</code>` },
      { name: health.turns, kind: 'number', cell: ({ runs }) => runs },
      { name: health.lease, cell: ({ renewedUntil }) => t.minute(renewedUntil) },
    ],
  })
}

function ledgerChecks(t: Texts, { examination: found }: Shown): Html {
  const { health } = t.operator
  return html`<div class="head"><h2>${health.ledger}</h2>
<a class="button quiet" href="/operator/health?check=money">${health.runChecks}</a></div>
${found === undefined ? nothing : examinationOf(t, found)}`
}

function examinationOf({ operator: { health } }: Texts, { broken, unchecked }: Examination): Html {
  const total = invariants.length
  const failed = notice('problem', health.failed(broken.length, total))
  const notRun = notice('problem', health.notRun(unchecked.length, total))
  return html`${broken.length > 0 ? failed : nothing}
${broken.map(({ invariant, rows }) => checkDetails(invariant, rows.map((row) => JSON.stringify(row)).join('\n')))}
${unchecked.length > 0 ? notRun : nothing}
${unchecked.map(({ invariant, reason }) => checkDetails(invariant, reason))}`
}

function checkDetails(invariant: string, text: string): Html {
  return html`<h3 dir="ltr">${invariant}</h3><pre tabindex="0" dir="ltr">${text}</pre>`
}

function failureSection(t: Texts, failures: FailureHealth): Html {
  const { health } = t.operator
  const { byCode, ended } = failures
  const failed = byCode.reduce((sum, { runs }) => sum + runs, 0)
  const codes = listed(byCode.map(({ code, runs }) => html`<code>${code}</code> ${runs}`))
  const summary = html`<p>${health.failedOf(t.common.turns(failed), ended, codes)}</p>`
  return html`<h2>${health.failures}</h2>
${
  failed === 0
    ? emptyState(health.noFailures, health.ended(ended))
    : html`${summary}${failureTable(t, failures)}`
}`
}

function failureTable(t: Texts, { newest }: FailureHealth): Html {
  const { health } = t.operator
  return dataTable({
    label: health.failureTable,
    rows: newest,
    columns: [
      { name: t.common.time, cell: ({ at }) => t.minute(at) },
      { name: health.code, cell: ({ code }) => html`<code>${code}</code>` },
      { name: health.message, className: 'message', isName: true, cell: ({ message }) => message },
      { name: t.common.model, cell: ({ model }) => html`<code>${model}</code>` },
      { name: t.runs.title, cell: ({ runId }) => html`<code>${runId}</code>` },
      {
        name: t.operator.accounts.account,
        cell: ({ accountId }) =>
          html`<a href="/operator/accounts/${accountId}" title="${accountId}">${t.operator.accounts.account}</a>`,
      },
    ],
  })
}

function sizeTable(t: Texts, tables: readonly TableSize[]): Html {
  const { health } = t.operator
  const notCounted = html`<span class="faint">${health.notCounted}</span>`
  return dataTable({
    label: health.largest,
    rows: tables,
    columns: [
      { name: health.table, kind: 'title', cell: ({ name }) => html`<code>${name}</code>` },
      {
        name: health.rows,
        kind: 'number',
        cell: ({ rows }) => (rows === null ? notCounted : t.number(rows)),
      },
      { name: health.size, kind: 'number', cell: ({ bytes }) => t.bytes(bytes) },
    ],
  })
}
