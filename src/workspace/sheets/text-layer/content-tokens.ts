/** An operand of a content stream; of dictionaries only the text is kept. */
export type Operand =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly Operand[] }
  | { readonly kind: 'dictionary'; readonly text: string }

export type Operation = { readonly operator: string; readonly operands: readonly Operand[] }

/** One token at the place where the last one ended; of a literal string only its beginning. */
const token =
  /\s*(?:([-+]?(?:\d+\.?\d*|\.\d+))|\/([^\s/[\](){}<>%]*)|(\()|(<<[\s\S]*?>>)|<([0-9A-Fa-f\s]*)>|([[\]])|([A-Za-z'"][A-Za-z0-9*]*))/y

/** The operator that stands for a token that this reader does not know. Nothing after it is read. */
export const unknownOperator = '?'

/** The operations of a content stream (ISO 32000-1, 7.8.2), as Typst writes them. */
export function* operationsOf(content: string): Generator<Operation> {
  let operands: Operand[] = []
  let items: Operand[] | undefined
  for (const one of tokensOf(content)) {
    if (one === '[') items = []
    else if (one === ']') {
      operands.push({ kind: 'array', items: items ?? [] })
      items = undefined
    } else if (one.kind === 'operator') {
      yield { operator: one.text, operands }
      operands = []
    } else (items ?? operands).push(one)
  }
}

type Token = Operand | '[' | ']' | { readonly kind: 'operator'; readonly text: string }

function* tokensOf(content: string): Generator<Token> {
  const reader = new RegExp(token)
  let end = 0
  for (let found = reader.exec(content); found; found = reader.exec(content)) {
    if (found[3] === undefined) yield tokenOf(found)
    else {
      const literal = literalAt(content, reader.lastIndex)
      reader.lastIndex += literal.length + 1
      yield { kind: 'string', text: unescaped(literal) }
    }
    end = reader.lastIndex
  }
  if (content.slice(end).trim() !== '') yield { kind: 'operator', text: unknownOperator }
}

function tokenOf([, number, name, , dictionary, hex, bracket, operator]: RegExpExecArray): Token {
  if (operator !== undefined) return { kind: 'operator', text: operator }
  if (bracket !== undefined) return bracket === '[' ? '[' : ']'
  if (number !== undefined) return { kind: 'number', value: Number(number) }
  if (name !== undefined) return { kind: 'name', text: name }
  if (dictionary !== undefined) return { kind: 'dictionary', text: dictionary }
  return { kind: 'string', text: Buffer.from((hex ?? '').replace(/\s/g, ''), 'hex').toString('latin1') }
}

/** The literal string that begins at `from`, up to the bracket that closes it: brackets in pairs are part of it. */
function literalAt(content: string, from: number): string {
  let depth = 1
  for (let at = from; at < content.length; at += 1) {
    const char = content[at]
    if (char === '\\') at += 1
    else if (char === '(') depth += 1
    else if (char === ')') depth -= 1
    if (depth === 0) return content.slice(from, at)
  }
  return content.slice(from)
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** The bytes of a literal string, a character each. */
function unescaped(text: string): string {
  return text.replace(/\\(?:([0-7]{1,3})|([\s\S]))/g, (_, octal?: string, char = '') =>
    octal === undefined ? (escapes[char] ?? char) : String.fromCharCode(Number.parseInt(octal, 8)),
  )
}
