import { availableIn } from '../../../billing/account-credits.ts'
import { creditsNumber } from '../../../billing/credits.ts'
import type { UsageRow } from '../../../billing/usage/usage.ts'
import { factList } from '../../components/data-table.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { creditTable } from '../credit-table.ts'
import { creditsIn } from '../wording.ts'
import { usageCharts } from './usage-charts.ts'
import { limitList } from './usage-limits.ts'
import { periods, type UsageShown } from './usage-shown.ts'
import { breakdown, chargeSection, credits } from './usage-tables.ts'

/** The credits that are left, what they were spent on, and the limits of the plan. */
export function usagePage(t: Texts, shown: UsageShown): Page {
  const { usage } = t
  const { days, period, span } = shown
  const sums = sumOf(days)
  return {
    title: t.frame.usage,
    section: 'usage',
    sheets: ['usage'],
    main: html`<h1>${t.frame.usage}</h1>
${balanceCard(t, shown)}
${limitList(t, shown)}
<div class="head"><h2>${usage.headings[period]}</h2>
${periodNav(t, period)}</div>
${factList(
  [
    [usage.charged, credits(t, sums.costMicros)],
    [usage.turns, t.number(sums.turns)],
    [usage.inputTokens, t.number(sums.promptTokens)],
    [usage.outputTokens, t.number(sums.completionTokens)],
  ],
  'sums',
)}
${
  days.length === 0
    ? emptyState(usage.noCharges, usage.noChargesHint)
    : html`${usageCharts(t, days, span)}${breakdown(t, shown)}`
}
${chargeSection(t, shown)}`,
  }
}

function balanceCard(t: Texts, { plan, credits: left, renewsAt }: UsageShown): Html {
  const { usage } = t
  const note = left.heldMicros > 0n ? usage.held(creditsIn(t, left.heldMicros)) : ''
  const next = plan.monthlyMicros > 0n ? usage.nextAllowance(t.day(renewsAt)) : nothing
  const monthly = t.number(creditsNumber(plan.monthlyMicros))
  const gives = usage.planGives(t.common.planName(plan.name), monthly)
  return html`<section class="card balance"><div><h2>${usage.creditsLeft}</h2>
<p class="figure">${credits(t, availableIn(left))}</p>
<p class="faint">${note} ${gives} ${next}</p>
</div>
${creditTable(t, left, renewsAt, credits)}</section>`
}

function periodNav({ usage }: Texts, selected: UsageShown['period']): Html {
  const mark = (period: string) => (period === selected ? html` aria-current="page"` : nothing)
  return html`<nav class="row periods" aria-label="${usage.period}">${periods.map(
    (period) =>
      html`<a class="button quiet" href="/usage?period=${period}"${mark(period)}>${usage.periods[period]}</a>`,
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
