import { creditsNumber, creditsText } from '../../../billing/credits.ts'
import type { Charge } from '../../../billing/usage/charges.ts'
import { daysOf } from '../../../billing/usage/usage-span.ts'
import { type Column, dataTable } from '../../components/data-table.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { emptyState } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { projectName } from '../wording.ts'
import type { NamedRow, UsageShown } from './usage-shown.ts'

type Figures = {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costMicros: bigint
}

/** The column of credits, which comes first in every table of the page. */
export function creditsColumn(t: Texts): Column<Pick<Figures, 'costMicros'>> {
  return { name: t.usage.credits, kind: 'number', cell: ({ costMicros }) => credits(t, costMicros) }
}

/** Tokens of the model's input and output, in one column. */
export function tokensColumn(t: Texts): Column<Figures> {
  return {
    name: t.usage.tokensInOut,
    kind: 'number',
    cell: ({ promptTokens, completionTokens }) =>
      html`<bdi dir="ltr">${t.number(promptTokens)} / ${t.number(completionTokens)}</bdi>`,
  }
}

export function turnsColumn(t: Texts): Column<{ readonly turns: number }> {
  return { name: t.usage.turns, kind: 'number', cell: ({ turns }) => t.number(turns) }
}

/** Tokens of the model's input and output together. */
export function tokensOf(row: Omit<Figures, 'costMicros'>): number {
  return row.promptTokens + row.completionTokens
}

/**
 * An amount of credits, rounded to two decimals. Its tooltip has the exact amount, which screen readers read in place
 * of the rounded one.
 */
export function credits({ language, usage }: Texts, micros: bigint): Html {
  const exact = creditsText(micros)
  const rounded = creditsNumber(micros).toLocaleString(language, { maximumFractionDigits: 2 })
  if (rounded.replaceAll(',', '') === exact) return html`<data value="${exact}">${rounded}</data>`
  // An amount that is not zero never looks like zero.
  const shown = Number(rounded) === 0 ? '< 0.01' : rounded
  return html`<data value="${exact}" title="${usage.exactly(exact)}"><span aria-hidden="true" dir="ltr">${shown}</span
><span class="sr">${exact}</span></data>`
}

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

/** Groups of one kind in a table; the CSV file has all. */
const maxGroups = 20

/** What credits were spent on: a table by model, by key, by project and by member, those that cost most first. */
export function breakdown(t: Texts, { models, keys, projects, members, accountId }: UsageShown): Html {
  const { common, usage } = t
  const keyName = ({ group, name }: NamedRow) => (group === '' ? usage.thesePages : (name ?? group))
  return html`<div class="breakdown">
${groupTable(t, 'model', models, ({ group }) => html`<code>${group || common.unknown}</code>`)}
${groupTable(t, 'key', keys, (row) => html`<bdi>${keyName(row)}</bdi>`)}
${groupTable(t, 'project', projects, (row) => projectLink(t, row))}
${isShared(members, accountId) ? groupTable(t, 'member', members, (row) => memberName(t, row)) : nothing}</div>`
}

/** An account that only its own person uses has nothing to tell by member. */
function isShared(members: readonly NamedRow[], accountId: string): boolean {
  return members.some(({ group }) => group !== '' && group !== accountId)
}

function memberName(t: Texts, { group, name }: NamedRow): Html {
  if (group === '') return html`<span class="faint">${t.usage.noMember}</span>`
  return name === undefined
    ? html`<span class="faint">${t.common.deleted}</span> <code>${group}</code>`
    : html`<bdi dir="ltr">${name}</bdi>`
}

function projectLink(t: Texts, { group, name }: NamedRow): Html {
  return name === undefined
    ? html`<span class="faint">${t.common.deleted}</span> <code>${group}</code>`
    : html`<a href="/projects/${group}" dir="auto">${projectName(t, name)}</a>`
}

function groupTable(
  t: Texts,
  kind: 'model' | 'key' | 'project' | 'member',
  rows: readonly NamedRow[],
  name: (row: NamedRow) => Html,
): Html {
  const { title, column } = t.usage.groups[kind]
  const rest = rows.length - maxGroups
  const table = dataTable<NamedRow>({
    label: title,
    rows: rows.slice(0, maxGroups),
    columns: [
      { name: column, kind: 'title', cell: name },
      creditsColumn(t),
      turnsColumn(t),
      { name: t.usage.tokens, kind: 'number', cell: (row) => t.number(tokensOf(row)) },
    ],
  })
  return html`<section><h3>${title}</h3>${table}
${rest > 0 ? html`<p class="faint">${t.usage.moreInCsv(rest)}</p>` : nothing}</section>`
}
