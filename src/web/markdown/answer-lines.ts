import type { StateCore, Token } from 'markdown-it'

/** What stands at a place of a text; at the same place a lower rank comes first. */
export type Tag = { readonly at: number; readonly rank: number; readonly markup: string }

/**
 * An element of its own direction around a quotation in Latin letters and its English quotation marks. In Hebrew text
 * the marks would change sides, and stand at the wrong ends of the lines.
 */
export function isolation(start: number, end: number, content: string): readonly Tag[] {
  const closed = /^[.,;:!?…]*[”"]/.exec(content.slice(end))?.[0]
  const isLatin = /^\p{Script=Latin}/u.test(content.slice(start, end))
  if (!isLatin || closed === undefined || !/[“"]$/.test(content.slice(0, start))) return []
  return [
    { at: start - 1, rank: 3, markup: '<bdi dir="ltr">' },
    { at: end + closed.length, rank: 1, markup: '</bdi>' },
  ]
}

/**
 * Keeps a label and the number of its source on one line: a line may break after a label, which is a box, even before a
 * non-breaking space.
 */
export function keepTogether(state: StateCore, tokens: readonly Token[]): Token[] {
  const kept: Token[] = []
  let last = -1
  for (const [at, token] of tokens.entries()) {
    if (at <= last) continue
    if (!isLabel(token) || tokens[at + 1]?.content !== '\u00a0' || !isNumber(tokens[at + 2])) {
      kept.push(token)
      continue
    }
    last = at + 4
    const space = newToken(state, 'text', token.content.slice(0, 1))
    const label = newToken(state, 'html_inline', `<span class="nowrap">${token.content.slice(1)}`)
    kept.push(space, label, ...tokens.slice(at + 1, last + 1), newToken(state, 'html_inline', '</span>'))
  }
  return kept
}

/** A label of a quotation: a space, and an element. */
function isLabel({ type, content }: Token): boolean {
  return type === 'html_inline' && /^\s<\w+ (?:type="button" )?class="check-note /.test(content)
}

function isNumber(token: Token | undefined): boolean {
  return token?.type === 'link_open' && token.attrGet('class') === 'cite'
}

function newToken(state: StateCore, type: 'text' | 'html_inline', content: string): Token {
  const token = new state.Token(type, '', 0)
  token.content = content
  return token
}
