import type { Charge } from '../../../billing/usage/charges.ts'
import { daysOf } from '../../../billing/usage/usage-span.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { emptyState } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { creditsColumn, tokensColumn } from './usage-columns.ts'
import type { UsageShown } from './usage-shown.ts'

/** The turns of the period that were charged, newest first, and a link to all of them as CSV. */
export function chargeSection(t: Texts, { charges, hasMore, after, period, span }: UsageShown): Html {
  const { usage, common } = t
  const csv = withQuery('/usage.csv', { from: daysOf(span)[0], to: daysOf(span).at(-1) })
  const newest = `/usage?period=${period}#turns`
  const older = `/usage?period=${period}&after=${charges.at(-1)?.id}#turns`
  const none = emptyState(usage.noTurns, usage.noTurnsHint)
  const noMore = emptyState(usage.noMoreTurns, html`<a href="${newest}">${usage.backToNewest}</a>`)
  return html`<div class="head" id="turns"><h2>${usage.turns}</h2>
<a class="button quiet" href="${csv}" download>${usage.csv}</a></div>
${charges.length > 0 ? chargeTable(t, charges) : after === undefined ? none : noMore}
${pager(
  after !== undefined && { label: common.newest, href: newest },
  hasMore && charges.length > 0 && { label: common.older, href: older },
)}`
}

function chargeTable(t: Texts, charges: readonly Charge[]): Html {
  const { usage } = t
  return dataTable({
    label: usage.turns,
    rows: charges,
    columns: [
      { name: t.common.time, cell: ({ at }) => t.minute(at) },
      creditsColumn(t),
      { name: usage.turn, cell: (charge) => runLink(t, charge) },
      { name: usage.key, cell: (charge) => keyName(t, charge) },
      { name: t.common.model, cell: ({ model }) => html`<code>${model}</code>` },
      tokensColumn(t),
    ],
  })
}

/** The conversation of the turn, and how the turn ended unless it completed. */
function runLink({ common, runs, usage }: Texts, charge: Charge): Html {
  const { sessionId, sessionName, runId, status } = charge
  if (sessionId === null) return html`<span class="faint">${common.deleted}</span>`
  const isComplete = status === 'completed' || status === null
  const states: Readonly<Record<string, string>> = runs.states
  const badge = isComplete ? nothing : html` <span class="badge ${status}">${states[status] ?? status}</span>`
  return html`<a class="clip" href="/runs/${runId}" dir="auto" title="${usage.turnId(runId)}">${
    sessionName || common.untitled
  }</a>${badge}`
}

function keyName({ usage }: Texts, { keyId, keyName: name }: Charge): Html {
  return keyId === null
    ? html`<span class="faint">${usage.thesePages}</span>`
    : html`<bdi class="clip">${name ?? keyId}</bdi>`
}
