import { creditsNumber, creditsText } from '../../../billing/credits.ts'
import type { Column } from '../../components/data-table.ts'
import { type Html, html } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

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
