import { creditsText } from '../../../billing/credits.ts'
import type { Pool } from '../../../billing/pools.ts'
import type { UsageRow } from '../../../billing/usage/usage.ts'
import { dataTable } from '../../components/data-table.ts'
import { factList } from '../../components/fact-list.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, type Page } from '../../components/page.ts'
import { formatDate } from '../../components/times.ts'
import { chargeSection } from './charge-view.ts'
import { breakdown } from './usage-breakdown.ts'
import { usageCharts } from './usage-charts.ts'
import { limitList } from './usage-limits.ts'
import { periods, type UsageShown } from './usage-shown.ts'

const periodNames = { '7': '7 days', '30': '30 days', '90': '90 days', month: 'This month' } as const

/** The credits that are left, what they were spent on, and the limits of the plan. */
export function usagePage(shown: UsageShown): Page {
  const { days, period, span } = shown
  const sums = sumOf(days)
  return {
    title: 'Usage',
    section: 'usage',
    sheets: ['usage'],
    main: html`<h1>Usage</h1>
${balanceCard(shown)}
<div class="head"><h2>${period === 'month' ? 'This month' : `The last ${periodNames[period]}`}</h2>
${periodNav(period)}</div>
${factList(
  [
    ['Charged', `${creditsText(sums.costMicros)} credits`],
    ['Turns', sums.turns.toLocaleString('en')],
    ['Input tokens', sums.promptTokens.toLocaleString('en')],
    ['Output tokens', sums.completionTokens.toLocaleString('en')],
  ],
  'sums',
)}
${days.length === 0 ? noCharges : html`${usageCharts(days, span)}${breakdown(shown)}`}
<h2>Limits of the plan “${shown.plan.name}”</h2>
${limitList(shown)}
${chargeSection(shown)}`,
  }
}

const noCharges = emptyState(
  'No charges in this period',
  html`<a href="/ask">Ask a question</a> here, or <a href="/settings/keys">create a key</a> for your programs.`,
)

function balanceCard({ plan, credits }: UsageShown): Html {
  const { balance, pools, renewsAt } = credits
  const held = creditsText(balance.heldMicros)
  const note = balance.heldMicros > 0n ? `${held} more are held for running turns.` : ''
  const next = plan.monthlyMicros > 0n ? html` The next allowance comes on ${formatDate(renewsAt)}.` : nothing
  return html`<section class="card balance"><div><h2>Credits left</h2>
<p class="figure">${creditsText(balance.availableMicros)}</p>
<p class="faint">${note} The plan “${plan.name}” gives ${creditsText(plan.monthlyMicros)} credits per month.${next}</p>
</div>
${pools.length === 0 ? nothing : poolTable(pools)}</section>`
}

function poolTable(pools: readonly Pool[]): Html {
  const table = dataTable({
    label: 'Credit pools',
    rows: pools,
    columns: [
      { name: 'From', kind: 'title', cell: poolName },
      { name: 'Left', kind: 'number', cell: ({ availableMicros }) => creditsText(availableMicros) },
      { name: 'Until', cell: until },
    ],
  })
  return html`${table}<p class="faint">Credits that expire first are spent first.</p>`
}

function poolName({ kind, createdAt }: Pool): Html {
  return html`${kind === 'allowance' ? 'Monthly allowance' : 'Grant'}<br>
<small class="faint">granted ${formatDate(createdAt)}</small>`
}

function until({ kind, expiresAt }: Pool): Html {
  if (expiresAt === null) return html`does not expire`
  const renewal = kind === 'allowance' ? html`<br><small class="faint">then a new allowance</small>` : nothing
  return html`${formatDate(expiresAt)}${renewal}`
}

function periodNav(selected: UsageShown['period']): Html {
  const mark = (period: string) => (period === selected ? html` aria-current="page"` : nothing)
  return html`<nav class="periods" aria-label="Period">${periods.map(
    (period) =>
      html`<a class="button quiet" href="/usage?period=${period}"${mark(period)}>${periodNames[period]}</a>`,
  )}</nav>`
}

type Sums = Omit<UsageRow, 'group'>

function sumOf(rows: readonly UsageRow[]): Sums {
  return rows.reduce<Sums>(
    (sum, row) => ({
      turns: sum.turns + row.turns,
      promptTokens: sum.promptTokens + row.promptTokens,
      completionTokens: sum.completionTokens + row.completionTokens,
      costMicros: sum.costMicros + row.costMicros,
    }),
    { turns: 0, promptTokens: 0, completionTokens: 0, costMicros: 0n },
  )
}
