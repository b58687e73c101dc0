import { creditsNumber, creditsText } from '../../../billing/credits.ts'
import type { Pool } from '../../../billing/pools.ts'
import type { Charge } from '../../../billing/usage/charges.ts'
import type { UsageRow } from '../../../billing/usage/usage.ts'
import { daysOf, type Span } from '../../../billing/usage/usage-span.ts'
import { barChart } from '../../components/chart.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { emptyState, type Page } from '../../components/page.ts'
import { counted } from '../../components/texts.ts'
import { instant, moment } from '../../components/times.ts'
import { limitList } from './usage-limits.ts'
import { type NamedRow, periods, type UsageShown } from './usage-shown.ts'

/** Maximum number of listed groups per kind; the CSV file has all charges. */
const groupsListed = 20

const periodNames = { '7': '7 days', '30': '30 days', '90': '90 days', month: 'This month' } as const

/** The usage page: remaining credits, charges by group, and use of the limits. */
export function usagePage(shown: UsageShown): Page {
  const { days, period, span } = shown
  const sums = sumOf(days)
  return {
    title: 'Usage',
    section: 'usage',
    sheets: ['usage'],
    main: html`<h1>Usage</h1>
${balance(shown)}
<div class="head"><h2>${period === 'month' ? 'This month' : `The last ${periodNames[period]}`}</h2>${periodNav(period)}</div>
<dl class="facts sums"><div><dt>Charged</dt><dd>${creditsText(sums.costMicros)} credits</dd></div>
<div><dt>Turns</dt><dd>${sums.turns.toLocaleString('en')}</dd></div>
<div><dt>Tokens in</dt><dd>${sums.promptTokens.toLocaleString('en')}</dd></div>
<div><dt>Tokens out</dt><dd>${sums.completionTokens.toLocaleString('en')}</dd></div></dl>
${days.length === 0 ? emptyState('Nothing was charged in this period', html`<a href="/ask">Ask something</a> here, or <a href="/settings/keys">make a key</a> for your programs.`) : html`${charts(days, span)}${breakdown(shown)}`}
<h2>Limits of the plan “${shown.plan.name}”</h2>
${limitList(shown)}
${chargeTable(shown)}`,
  }
}

function balance({ plan, credits }: UsageShown): Html {
  const { balance: sums, pools, renewsAt } = credits
  return html`<section class="card balance"><div><h2>Credits</h2>
<p class="figure">${creditsText(sums.availableMicros)}</p>
<p class="faint">left to spend${sums.heldMicros > 0n ? html`, and ${creditsText(sums.heldMicros)} set aside for running turns` : nothing}. The plan “${plan.name}” gives ${creditsText(plan.monthlyMicros)} a month${plan.monthlyMicros > 0n ? html`; the next on ${moment(renewsAt)}` : nothing}.</p></div>
${
  pools.length === 0
    ? nothing
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Where the credits come from"><table><thead><tr><th>From</th><th class="number">Left</th><th>Until</th></tr></thead><tbody>${pools.map(
        (pool) =>
          html`<tr><th scope="row">${pool.kind === 'allowance' ? 'Monthly allowance' : 'Grant'}<br><small class="faint">given ${moment(pool.createdAt)}</small></th><td class="number">${creditsText(pool.availableMicros)}</td><td>${until(pool)}</td></tr>`,
      )}</tbody></table></div><p class="faint">What expires first is spent first.</p>`
}</section>`
}

function until({ kind, expiresAt }: Pool): Html {
  if (expiresAt === null) return html`does not expire`
  return html`${moment(expiresAt)}${kind === 'allowance' ? html`<br><small class="faint">then a new allowance</small>` : nothing}`
}

function periodNav(present: UsageShown['period']): Html {
  return html`<nav class="periods" aria-label="Period">${periods.map(
    (period) =>
      html`<a class="button quiet" href="/usage?period=${period}"${period === present ? html` aria-current="page"` : nothing}>${periodNames[period]}</a>`,
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

const shortDay = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })

function charts(days: readonly UsageRow[], span: Span): Html {
  const known = new Map(days.map((row) => [row.group, row]))
  const all = daysOf(span).map((day) => ({ day, label: shortDay.format(new Date(day)), row: known.get(day) }))
  const dearest = days.reduce((a, b) => (b.costMicros > a.costMicros ? b : a))
  const busiest = days.reduce((a, b) => (tokensOf(b) > tokensOf(a) ? b : a))
  const credits = barChart({
    id: 'credits',
    title: 'Credits a day',
    description: `Most on ${dearest.group}: ${creditsText(dearest.costMicros)} credits. The table below has every day.`,
    bars: all.map(({ label, row }) => {
      const micros = row?.costMicros ?? 0n
      return { label, value: creditsNumber(micros), title: `${label}: ${creditsText(micros)} credits` }
    }),
  })
  const tokens = barChart({
    id: 'tokens',
    title: 'Tokens a day',
    description: `Most on ${busiest.group}: ${tokensOf(busiest)} tokens. The table below has every day.`,
    bars: all.map(({ label, row }) => {
      const value = row ? tokensOf(row) : 0
      return { label, value, title: `${label}: ${value.toLocaleString('en')} tokens` }
    }),
  })
  return html`<div class="charts">${chartBox('Credits a day', credits)}${chartBox('Tokens a day', tokens)}</div>
<details class="days"><summary>The same as a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Days"><table><thead><tr><th>Day (UTC)</th><th class="number">Turns</th><th class="number">Tokens in</th><th class="number">Tokens out</th><th class="number">Credits</th></tr></thead><tbody>${days
    .toReversed()
    .map(
      (row) => html`<tr><th scope="row">${row.group}</th>${figures(row)}</tr>`,
    )}</tbody></table></div></details>`
}

function tokensOf(row: UsageRow): number {
  return row.promptTokens + row.completionTokens
}

function chartBox(name: string, chart: Html): Html {
  return html`<figure class="card"><figcaption>${name}</figcaption><div class="chart-scroll" tabindex="0" role="region" aria-label="${name}">${chart}</div></figure>`
}

function breakdown({ models, keys, projects }: UsageShown): Html {
  return html`<div class="breakdown">
${groupTable('By model', models, ({ group }) => html`<code>${group || 'unknown'}</code>`)}
${groupTable('By key', keys, ({ group, name }) => (group === '' ? html`These pages` : html`<bdi>${name ?? group}</bdi>`))}
${groupTable('By project', projects, ({ group, name }) => (name === undefined ? html`<span class="faint">deleted</span> <code>${group}</code>` : html`<a href="/projects/${group}" dir="auto">${name}</a>`))}</div>`
}

function groupTable(title: string, rows: readonly NamedRow[], name: (row: NamedRow) => Html): Html {
  const rest = rows.length - groupsListed
  return html`<section><h3>${title}</h3><div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><thead><tr><th>${title.slice(3).replace(/^./, (letter) => letter.toUpperCase())}</th><th class="number">Turns</th><th class="number">Tokens</th><th class="number">Credits</th></tr></thead><tbody>
${rows.slice(0, groupsListed).map((row) => html`<tr><th scope="row">${name(row)}</th><td class="number">${row.turns.toLocaleString('en')}</td><td class="number">${tokensOf(row).toLocaleString('en')}</td><td class="number">${creditsText(row.costMicros)}</td></tr>`)}</tbody></table></div>
${rest > 0 ? html`<p class="faint">${counted(rest, 'more')} in the CSV file.</p>` : nothing}</section>`
}

function figures(row: Sums): Html {
  return html`<td class="number">${row.turns.toLocaleString('en')}</td><td class="number">${row.promptTokens.toLocaleString('en')}</td><td class="number">${row.completionTokens.toLocaleString('en')}</td><td class="number">${creditsText(row.costMicros)}</td>`
}

function chargeTable({ charges, hasMore, after, period, span }: UsageShown): Html {
  const csv = withQuery('/usage.csv', { from: daysOf(span)[0], to: daysOf(span).at(-1) })
  const last = charges.at(-1)
  return html`<div class="head" id="turns"><h2>Turns</h2><a class="button quiet" href="${csv}" download>Download as CSV</a></div>
${charges.length === 0 ? emptyState(after === undefined ? 'No turns in this period' : 'That was all', after === undefined ? 'Every turn that is charged stands here, the newest first.' : html`<a href="/usage?period=${period}#turns">Back to the newest</a>`) : html`<div class="scroll" tabindex="0" role="region" aria-label="Turns"><table><thead><tr><th>Time (UTC)</th><th>Turn</th><th>Conversation</th><th>Model</th><th>Key</th><th class="number">Tokens in</th><th class="number">Tokens out</th><th class="number">Credits</th></tr></thead><tbody>${charges.map(chargeRow)}</tbody></table></div>`}
<p class="pager">${after === undefined ? nothing : html`<a class="button quiet" href="/usage?period=${period}#turns">Newest</a>`}${hasMore && last ? html`<a class="button quiet" href="/usage?period=${period}&amp;after=${last.id}#turns">Older</a>` : nothing}</p>`
}

function chargeRow(charge: Charge): Html {
  const { sessionId, status } = charge
  return html`<tr><td>${instant(charge.at)}</td>
<td>${sessionId === null ? html`<span class="faint">deleted</span>` : html`<a href="/runs/${charge.runId}"><span class="badge ${status ?? ''}">${status}</span><span class="sr"> turn ${charge.runId}</span></a>`}</td>
<td>${sessionId === null ? nothing : html`<a class="clip" href="/sessions/${sessionId}" dir="auto">${charge.sessionName || 'Unnamed'}</a>`}</td>
<td><code>${charge.model}</code></td><td>${charge.keyId === null ? html`<span class="faint">these pages</span>` : html`<bdi class="clip">${charge.keyName ?? charge.keyId}</bdi>`}</td>
<td class="number">${charge.promptTokens.toLocaleString('en')}</td><td class="number">${charge.completionTokens.toLocaleString('en')}</td><td class="number">${creditsText(charge.costMicros)}</td></tr>`
}
