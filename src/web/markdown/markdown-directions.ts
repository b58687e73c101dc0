import type { Token } from 'markdown-it'

/**
 * Blocks that contain blocks. `dir="auto"` ignores text inside elements with their own `dir`, so it would
 * find no text here.
 */
const containers = new Set(['blockquote_open', 'bullet_list_open', 'ordered_list_open', 'table_open'])

/** Number of letters in a container, nested containers included. */
type Letters = { hebrew: number; latin: number }

/**
 * Gives quotations, lists and tables the direction of most of their letters: the page may have the other one. Takes one
 * pass at any depth of nesting.
 */
export function markHebrewContainers(tokens: readonly Token[]): void {
  const open: { readonly token: Token; readonly letters: Letters }[] = []
  for (const token of tokens) {
    if (containers.has(token.type)) open.push({ token, letters: { hebrew: 0, latin: 0 } })
    else if (containers.has(token.type.replace(/_close$/, '_open'))) close(open)
    else if (open.length > 0 && token.content !== '') count(token.content, open.at(-1)?.letters)
  }
}

function close(open: { readonly token: Token; readonly letters: Letters }[]): void {
  const closed = open.pop()
  if (!closed) return
  const { token, letters } = closed
  if (letters.hebrew > letters.latin) {
    token.attrSet('dir', 'rtl')
    if (token.type === 'blockquote_open') token.attrSet('lang', 'he')
  } else if (letters.latin > 0) token.attrSet('dir', 'ltr')
  const outer = open.at(-1)?.letters
  if (!outer) return
  outer.hebrew += letters.hebrew
  outer.latin += letters.latin
}

function count(text: string, letters: Letters | undefined): void {
  if (!letters) return
  letters.hebrew += text.match(/[\u05d0-\u05ea]/g)?.length ?? 0
  letters.latin += text.match(/[a-z]/gi)?.length ?? 0
}
