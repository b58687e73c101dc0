import { creditsNumber, creditsText } from '../../../billing/credits.ts'
import type { UsageRow } from '../../../billing/usage/usage.ts'
import { daysOf, type Span } from '../../../billing/usage/usage-span.ts'
import { type Bar, barChart } from '../../components/chart.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Html, html } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { creditsColumn, tokensColumn, tokensOf, turnsColumn } from './usage-tables.ts'

/** Credits and tokens per day as bar charts, and the same days as a table. @param days not empty. */
export function usageCharts(t: Texts, days: readonly UsageRow[], span: Span): Html {
  const { usage } = t
  const known = new Map(days.map((row) => [row.group, row]))
  const all = daysOf(span).map((day) => ({ label: t.shortDay(new Date(day)), row: known.get(day) }))
  const dearest = days.reduce((a, b) => (b.costMicros > a.costMicros ? b : a))
  const busiest = days.reduce((a, b) => (tokensOf(b) > tokensOf(a) ? b : a))
  const credits = chartBox(t, {
    id: 'credits',
    title: usage.creditsPerDay,
    most: usage.creditsOn(dearest.group, creditsText(dearest.costMicros)),
    bars: all.map(({ label, row }) => creditsBar(t, label, row?.costMicros ?? 0n)),
  })
  const tokens = chartBox(t, {
    id: 'tokens',
    title: usage.tokensPerDay,
    most: usage.tokensOn(busiest.group, t.number(tokensOf(busiest))),
    bars: all.map(({ label, row }) => tokensBar(t, label, row ? tokensOf(row) : 0)),
  })
  return html`<div class="charts">${credits}${tokens}</div>
<details class="days"><summary>${usage.asTable}</summary>${dayTable(t, days)}</details>`
}

function creditsBar({ usage }: Texts, label: string, micros: bigint): Bar {
  return { label, value: creditsNumber(micros), title: usage.creditsOn(label, creditsText(micros)) }
}

function tokensBar({ usage, number }: Texts, label: string, value: number): Bar {
  return { label, value, title: usage.tokensOn(label, number(value)) }
}

function chartBox(
  { usage }: Texts,
  options: {
    readonly id: string
    readonly title: string
    /** The day with most, and its figure. */
    readonly most: string
    readonly bars: readonly Bar[]
  },
): Html {
  const { id, title, most, bars } = options
  const description = usage.mostOn(most)
  return html`<figure class="card"><figcaption>${title}</figcaption>
<div class="chart-scroll" tabindex="0" role="region" aria-label="${title}">
${barChart({ id, title, description, bars })}</div></figure>`
}

function dayTable(t: Texts, days: readonly UsageRow[]): Html {
  const { usage } = t
  return dataTable<UsageRow>({
    label: usage.days,
    rows: days.toReversed(),
    columns: [
      { name: usage.day, kind: 'title', cell: ({ group }) => group },
      creditsColumn(t),
      turnsColumn(t),
      tokensColumn(t),
    ],
  })
}
