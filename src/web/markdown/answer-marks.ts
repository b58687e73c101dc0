import type { StateCore, Token } from 'markdown-it'
import { isolation, keepTogether, type Tag } from './answer-lines.ts'

/** A quotation of the answer with the result of its check. The label stands after the quotation. */
export type QuotationMark = {
  /** The quotation as the check gives it: on one line, without marks. */
  readonly quote: string
  /** Class of the quotation and of its label. */
  readonly kind: 'verbatim' | 'edited' | 'fuzzy' | 'translation' | 'misattributed' | 'from_tool' | 'not_found'
  /** The words of the label, for screen readers where `sign` is shown. */
  readonly label: string
  /** Shown in place of the words. */
  readonly sign?: string
  /** Where the label leads. */
  readonly href?: string
  /** HTML id of the popover that the label opens. */
  readonly popover?: string
}

/** A ref or the title of a work that a text names, as written there, and its URL. */
export type RefMark = { readonly written: string; readonly href: string }

/** A citation number of an answer: the URL of its source, and its words for screen readers. */
export type CitationMark = { readonly href: string; readonly label: string }

/** What a rendered answer gets besides its own Markdown. Cloneable, because long answers are rendered in a thread. */
export type AnswerMarks = {
  /** By citation number. */
  readonly citations?: ReadonlyMap<number, CitationMark>
  readonly quotations?: readonly QuotationMark[]
  readonly refs?: readonly RefMark[]
}

/** A range of one text token, and what stands around it. */
type Piece = {
  readonly start: number
  readonly end: number
  readonly open: string
  readonly close: string
  /** Stands after a quotation and its punctuation. Undefined for a ref, which can stand in a quotation. */
  readonly after?: string
  /** Whether the quotation is in this token alone, so that an element can hold it with its quotation marks. */
  readonly isWhole?: boolean
}

/**
 * Puts the checks of quotations around their words, and links the refs. Words are compared by their letters, so
 * emphasis, line breaks and punctuation may differ. What is not found in the text is left out.
 */
export function markAnswer(state: StateCore): void {
  const { quotations = [], refs = [] } = state.env as AnswerMarks
  if (quotations.length === 0 && refs.length === 0) return
  const letters = lettersOf(state.tokens)
  const pieces = new Map<Token, Piece[]>()
  const quoted: Range[] = []
  const { escapeHtml } = state.md.utils
  for (const mark of quotations) {
    const wanted = lettersIn(mark.quote)
    const from = findFree(letters.text, wanted, quoted)
    if (from === undefined) continue
    quoted.push({ from, to: from + wanted.length })
    addQuotation(pieces, letters, from, from + wanted.length, quotationMarkup(mark, escapeHtml))
  }
  let last = 0
  for (const { written, href } of refs) {
    const found = findRef(letters, lettersIn(written), last)
    if (!found) continue
    last = found.to
    if (quoted.some((quotation) => crosses(quotation, found))) continue
    const open = `<a class="ref" href="${escapeHtml(href)}">`
    addPiece(pieces, letters, found.from, found.to, { open, close: '</a>' })
  }
  for (const token of state.tokens)
    if (token.children) {
      const isHebrew = /^\P{L}*\p{Script=Hebrew}/u.test(token.content)
      const parts = token.children.flatMap((child) => split(state, child, pieces.get(child), isHebrew))
      token.children = keepTogether(state, parts)
    }
}

/** A range of the letters of a text. */
type Range = { readonly from: number; readonly to: number }

/** Whether a range is partly inside and partly outside another one. */
function crosses(one: Range, other: Range): boolean {
  const isApart = other.to <= one.from || other.from >= one.to
  return !isApart && (other.from < one.from || other.to > one.to)
}

/** Places that are tried for one ref: its letters can also be part of other words. */
const maxTries = 20

function findRef(letters: Letters, wanted: string, after: number): Range | undefined {
  let from = wanted === '' ? -1 : letters.text.indexOf(wanted, after)
  for (let tries = 0; from !== -1 && tries < maxTries; tries += 1) {
    const to = from + wanted.length
    if (isWholeText(letters, from, to)) return { from, to }
    from = letters.text.indexOf(wanted, from + 1)
  }
  return undefined
}

function findFree(text: string, wanted: string, taken: readonly Range[]): number | undefined {
  if (wanted === '') return undefined
  const isFree = (from: number, to: number) => taken.every((span) => to <= span.from || from >= span.to)
  let at = text.indexOf(wanted)
  while (at !== -1 && !isFree(at, at + wanted.length)) at = text.indexOf(wanted, at + 1)
  return at === -1 ? undefined : at
}

/** Whether a range lies in one token outside links, and begins and ends with a whole word. */
function isWholeText({ token, offset, tokens, linked }: Letters, from: number, to: number): boolean {
  const at = token[from]
  if (at === undefined || token[to - 1] !== at || linked[at]) return false
  const content = tokens[at]?.content ?? ''
  const before = content.slice(0, offset[from])
  const after = content.slice((offset[to - 1] ?? 0) + 1)
  return !/[\p{L}\p{M}\p{N}]$/u.test(before) && !/^[\p{L}\p{M}\p{N}]/u.test(after)
}

type Markup = Omit<Piece, 'start' | 'end'>

function quotationMarkup(mark: QuotationMark, escaped: (text: string) => string): Markup {
  const { kind, label, sign, href, popover } = mark
  const words = escaped(sign ?? label)
  const note = `class="check-note ${kind}"`
  const named = sign === undefined ? '' : ` aria-label="${escaped(label)}"`
  const after =
    href !== undefined
      ? `<a ${note} href="${escaped(href)}" dir="auto">${words}</a>`
      : popover !== undefined
        ? `<button type="button" ${note} popovertarget="${escaped(popover)}"${named}>${words}</button>`
        : `<span ${note}${sign === undefined ? '' : ` role="img"${named} title="${escaped(label)}"`}>${words}</span>`
  return {
    open: `<span class="quoted ${kind}">`,
    close: '</span>',
    after: `${sign === undefined ? ' ' : '\u00a0'}${after}`,
  }
}

/** Adds one piece per token. The label follows the last one. */
function addQuotation(
  pieces: Map<Token, Piece[]>,
  letters: Letters,
  from: number,
  to: number,
  markup: Markup,
): void {
  let start = from
  const isWhole = letters.token[from] === letters.token[to - 1]
  for (let at = from + 1; at <= to; at += 1) {
    if (at < to && letters.token[at] === letters.token[start]) continue
    addPiece(pieces, letters, start, at, { ...markup, isWhole, ...(at < to && { after: '' }) })
    start = at
  }
}

function addPiece(
  pieces: Map<Token, Piece[]>,
  { token, offset, tokens }: Letters,
  from: number,
  to: number,
  markup: Markup,
): void {
  const target = tokens[token[from] ?? -1]
  if (!target) return
  const piece = { start: offset[from] ?? 0, end: (offset[to - 1] ?? 0) + 1, ...markup }
  pieces.set(target, [...(pieces.get(target) ?? []), piece])
}

/** What stands between a quotation and its label: a last word's geresh, an ellipsis, closing marks, and punctuation. */
const closing =
  /^(?:['’׳]?[.,;:!?]*\s+(?:…|\.{3})[”"’»״'“„«›‹」』》″＂]+|['’׳]?[.,;:!?…]*[”"’»״'“„«›‹」』》″＂]*)[.,;:!?…]*/

/** @param isHebrew whether the text around runs from right to left. */
function split(
  state: StateCore,
  token: Token,
  pieces: readonly Piece[] | undefined,
  isHebrew: boolean,
): readonly Token[] {
  if (!pieces) return [token]
  const parts: Token[] = []
  const add = (type: 'text' | 'html_inline', content: string) => {
    if (content === '') return
    const part = new state.Token(type, '', 0)
    part.content = content
    parts.push(part)
  }
  let from = 0
  for (const { at, markup } of pieces
    .flatMap((piece) => [
      ...tagsOf(isHebrew ? piece : withDirection(piece, token.content), token.content),
      ...(isHebrew && piece.isWhole ? isolation(piece.start, piece.end, token.content) : []),
    ])
    .toSorted((a, b) => a.at - b.at || a.rank - b.rank)) {
    add('text', token.content.slice(from, at))
    add('html_inline', markup)
    from = at
  }
  add('text', token.content.slice(from))
  return parts
}

/**
 * Isolates a Hebrew quotation of an English text: the number and the label after it would stand before its first word,
 * because digits continue a line of Hebrew. One in several tokens keeps the order of its parts only without isolation.
 */
function withDirection(piece: Piece, content: string): Piece {
  const isHebrew = /^\P{L}*\p{Script=Hebrew}/u.test(content.slice(piece.start, piece.end))
  if (!isHebrew || !piece.isWhole) return piece
  return { ...piece, open: piece.open.replace('<span', '<bdi'), close: '</bdi>' }
}

/** Where the markup of a piece goes. At the same place a lower rank comes first: a ref can begin or end a quotation. */
function tagsOf({ start, end, open, close, after }: Piece, content: string): readonly Tag[] {
  if (after === undefined) {
    return [
      { at: start, rank: 4, markup: open },
      { at: end, rank: 0, markup: close },
    ]
  }
  const sign = after === '' ? '' : (closing.exec(content.slice(end))?.[0] ?? '')
  return [
    { at: start, rank: 3, markup: open },
    { at: end, rank: 1, markup: close },
    { at: end + sign.length, rank: 2, markup: after },
  ]
}

/** The letters of a text by token. Citation numbers and code are left out. */
type Letters = {
  readonly text: string
  /** For each UTF-16 unit of `text`: the index of its token, and its offset there. */
  readonly token: readonly number[]
  readonly offset: readonly number[]
  readonly tokens: readonly Token[]
  /** Whether a token is part of a link. */
  readonly linked: readonly boolean[]
}

/** The letters, points and digits of a text. */
function lettersIn(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}

/** Collects the letters of all text tokens. */
function lettersOf(tokens: readonly Token[]): Letters {
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
