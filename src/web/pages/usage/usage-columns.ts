import type { Column } from '../../components/data-table.ts'
import { html } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { credits } from './amounts.ts'

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
