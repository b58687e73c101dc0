import type { Charge } from '../../../billing/usage/charges.ts'
import { daysOf } from '../../../billing/usage/usage-span.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { emptyState } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import { formatDateTime } from '../../components/times.ts'
import { costColumns } from './usage-columns.ts'
import type { UsageShown } from './usage-shown.ts'

/** The turns of the period that were charged, newest first, and a link to all of them as CSV. */
export function chargeSection({ charges, hasMore, after, period, span }: UsageShown): Html {
  const csv = withQuery('/usage.csv', { from: daysOf(span)[0], to: daysOf(span).at(-1) })
  const newest = `/usage?period=${period}#turns`
  const older = `/usage?period=${period}&after=${charges.at(-1)?.id}#turns`
  return html`<div class="head" id="turns"><h2>Turns</h2>
<a class="button quiet" href="${csv}" download>Download as CSV</a></div>
${charges.length > 0 ? chargeTable(charges) : after === undefined ? noTurns : noMoreTurns(newest)}
${pager(
  after !== undefined && { label: 'Newest', href: newest },
  hasMore && charges.length > 0 && { label: 'Older', href: older },
)}`
}

const noTurns = emptyState(
  'No turns in this period',
  'Every turn that was charged appears here, newest first.',
)

function noMoreTurns(newest: string): Html {
  return emptyState('No more turns', html`<a href="${newest}">Back to the newest</a>`)
}

function chargeTable(charges: readonly Charge[]): Html {
  return dataTable({
    label: 'Turns',
    rows: charges,
    columns: [
      { name: 'Time (UTC)', cell: ({ at }) => formatDateTime(at) },
      { name: 'Turn', cell: runLink },
      { name: 'Conversation', cell: conversationLink },
      { name: 'Model', cell: ({ model }) => html`<code>${model}</code>` },
      { name: 'Key', cell: keyName },
      ...costColumns,
    ],
  })
}

function runLink({ sessionId, runId, status }: Charge): Html {
  if (sessionId === null) return html`<span class="faint">deleted</span>`
  return html`<a href="/runs/${runId}"><span class="badge ${status ?? ''}">${status}</span><span class="sr"> turn
${runId}</span></a>`
}

function conversationLink({ sessionId, sessionName }: Charge): Html {
  if (sessionId === null) return nothing
  return html`<a class="clip" href="/sessions/${sessionId}" dir="auto">${sessionName || 'Untitled'}</a>`
}

function keyName({ keyId, keyName: name }: Charge): Html {
  return keyId === null
    ? html`<span class="faint">these pages</span>`
    : html`<bdi class="clip">${name ?? keyId}</bdi>`
}
