import type { Token } from 'markdown-it'

/** The letters of a text by token. Citation numbers and code are left out. */
export type Letters = {
  readonly text: string
  /** For each UTF-16 unit of `text`: the index of its token, and its offset there. */
  readonly token: readonly number[]
  readonly offset: readonly number[]
  readonly tokens: readonly Token[]
  /** Whether a token is part of a link. */
  readonly linked: readonly boolean[]
}

/** The letters, points and digits of a text. */
export function lettersIn(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}

/** Collects the letters of all text tokens. */
export function lettersOf(tokens: readonly Token[]): Letters {
  const texts = tokens.flatMap(({ children }) => (children ? textsOf(children) : []))
  const found = { text: [] as string[], token: [] as number[], offset: [] as number[] }
  for (const [at, { token }] of texts.entries()) {
    for (const { 0: letter, index } of token.content.matchAll(/[\p{L}\p{M}\p{N}]/gu)) {
      for (let unit = 0; unit < letter.length; unit += 1) {
        found.text.push(letter[unit] ?? '')
        found.token.push(at)
        found.offset.push(index + unit)
      }
    }
  }
  return {
    ...found,
    text: found.text.join(''),
    tokens: texts.map(({ token }) => token),
    linked: texts.map(({ isLinked }) => isLinked),
  }
}

/** The text tokens of a block, without citation numbers. */
function textsOf(children: readonly Token[]): readonly { token: Token; isLinked: boolean }[] {
  const open: boolean[] = []
  return children.flatMap((token) => {
    if (token.type === 'link_open') open.push(token.attrGet('class') === 'cite')
    if (token.type === 'link_close') open.pop()
    return token.type === 'text' && !open.includes(true) ? [{ token, isLinked: open.length > 0 }] : []
  })
}
