import { creditsNumber, creditsText } from '../../../billing/credits.ts'
import type { UsageRow } from '../../../billing/usage/usage.ts'
import { daysOf, type Span } from '../../../billing/usage/usage-span.ts'
import { type Bar, barChart } from '../../components/chart.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Html, html } from '../../components/html.ts'
import { tokensOf, usageColumns } from './usage-columns.ts'

const shortDay = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Credits and tokens per day as bar charts, and the same days as a table. @param days not empty. */
export function usageCharts(days: readonly UsageRow[], span: Span): Html {
  const known = new Map(days.map((row) => [row.group, row]))
  const all = daysOf(span).map((day) => ({ label: shortDay.format(new Date(day)), row: known.get(day) }))
  const dearest = days.reduce((a, b) => (b.costMicros > a.costMicros ? b : a))
  const busiest = days.reduce((a, b) => (tokensOf(b) > tokensOf(a) ? b : a))
  const credits = chartBox({
    id: 'credits',
    title: 'Credits per day',
    most: `${dearest.group}: ${creditsText(dearest.costMicros)} credits`,
    bars: all.map(({ label, row }) => creditsBar(label, row?.costMicros ?? 0n)),
  })
  const tokens = chartBox({
    id: 'tokens',
    title: 'Tokens per day',
    most: `${busiest.group}: ${tokensOf(busiest)} tokens`,
    bars: all.map(({ label, row }) => tokensBar(label, row ? tokensOf(row) : 0)),
  })
  return html`<div class="charts">${credits}${tokens}</div>
<details class="days"><summary>Show as a table</summary>${dayTable(days)}</details>`
}

function creditsBar(label: string, micros: bigint): Bar {
  return { label, value: creditsNumber(micros), title: `${label}: ${creditsText(micros)} credits` }
}

function tokensBar(label: string, value: number): Bar {
  return { label, value, title: `${label}: ${value.toLocaleString('en')} tokens` }
}

function chartBox(options: {
  readonly id: string
  readonly title: string
  /** The day with most, and its figure. */
  readonly most: string
  readonly bars: readonly Bar[]
}): Html {
  const { id, title, most, bars } = options
  const description = `Most on ${most}. The table below has every day.`
  return html`<figure class="card"><figcaption>${title}</figcaption>
<div class="chart-scroll" tabindex="0" role="region" aria-label="${title}">
${barChart({ id, title, description, bars })}</div></figure>`
}

function dayTable(days: readonly UsageRow[]): Html {
  return dataTable({
    label: 'Days',
    rows: days.toReversed(),
    columns: [{ name: 'Day (UTC)', kind: 'title', cell: ({ group }) => group }, ...usageColumns],
  })
}
