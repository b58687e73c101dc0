import { creditsText } from '../../../billing/credits.ts'
import type { Column } from '../../components/data-table.ts'

type Figures = {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costMicros: bigint
}

/** The columns of tokens and credits, in every table of the page. */
export const costColumns: readonly Column<Figures>[] = [
  { name: 'Input tokens', kind: 'number', cell: ({ promptTokens }) => promptTokens.toLocaleString('en') },
  {
    name: 'Output tokens',
    kind: 'number',
    cell: ({ completionTokens }) => completionTokens.toLocaleString('en'),
  },
  { name: 'Credits', kind: 'number', cell: ({ costMicros }) => creditsText(costMicros) },
]

/** The same after the number of turns. */
export const usageColumns: readonly Column<Figures & { readonly turns: number }>[] = [
  { name: 'Turns', kind: 'number', cell: ({ turns }) => turns.toLocaleString('en') },
  ...costColumns,
]

/** Tokens of the model's input and output together. */
export function tokensOf(row: Omit<Figures, 'costMicros'>): number {
  return row.promptTokens + row.completionTokens
}
