import { parser } from '@prometheus-io/lezer-promql'

/**
 * A series in an expression: its metric, the labels that it selects or groups by, and the values that it
 * requires.
 */
export type Selector = {
  readonly metric: string
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[]
}

export type Expression = { readonly selectors: readonly Selector[]; readonly groupings: readonly string[] }

/**
 * Parses PromQL with the grammar of Prometheus' own user interface.
 * @throws for invalid PromQL.
 */
export function parsePromql(text: string): Expression {
  const selectors: Selector[] = []
  const groupings: string[] = []
  const textOf = (node: { readonly from: number; readonly to: number } | null) =>
    node ? text.slice(node.from, node.to) : ''
  parser.parse(text).iterate({
    enter({ node, type }) {
      if (type.isError) throw new Error(`no PromQL at ${node.from}: ${text}`)
      if (type.name === 'VectorSelector') {
        const found = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
        selectors.push({
          metric: textOf(node.getChild('Identifier')),
          matchers: found.map((matcher) => ({
            label: textOf(matcher.getChild('LabelName')),
            operator: textOf(matcher.getChild('MatchOp')),
            value: textOf(matcher.getChild('StringLiteral')).slice(1, -1),
          })),
        })
      }
      if (type.name === 'GroupingLabels')
        groupings.push(...node.getChildren('LabelName').map((label) => textOf(label)))
    },
  })
  if (selectors.length === 0) throw new Error(`names no series: ${text}`)
  return { selectors, groupings }
}
