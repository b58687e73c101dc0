import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parse, stringify } from 'yaml'

const folder = path.resolve(import.meta.dirname, '../../../ops/helm')

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly code: string }
  | { readonly kind: 'block'; readonly word: string; readonly code: string; readonly body: readonly Node[] }

type Scope = { readonly dot: unknown; readonly variables: Readonly<Record<string, unknown>> }

const isTrue = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)

/**
 * Renders the chart as `helm template` does, as far as its templates need it: if, with, range, define, include, and the
 * functions below. Whatever else a template has throws.
 * @returns the text of each template that is not empty, by its file name.
 */
export async function renderChart(
  given: Readonly<Record<string, unknown>>,
  release = 'meduyak',
): Promise<Readonly<Record<string, string>>> {
  const read = async (file: string) => parse(await readFile(path.join(folder, file), 'utf8'))
  const chart = (await read('Chart.yaml')) as Readonly<Record<string, unknown>>
  const root = {
    Values: merged(await read('values.yaml'), given),
    Release: { Name: release },
    Chart: { AppVersion: chart['appVersion'] },
  }
  const named = new Map<string, readonly Node[]>()
  const files = new Map<string, readonly Node[]>()
  for (const file of (await readdir(path.join(folder, 'templates'))).sort()) {
    const nodes = parsed(await readFile(path.join(folder, 'templates', file), 'utf8'))
    for (const node of nodes)
      if (node.kind === 'block' && node.word === 'define') named.set(parse(node.code) as string, node.body)
    if (!file.startsWith('_')) files.set(file, nodes)
  }
  const scope = { dot: root, variables: {} }
  const texts = [...files].map(([file, nodes]) => [file, written(nodes, scope, root, named).trim()] as const)
  return Object.fromEntries(texts.filter(([, text]) => text !== ''))
}

function merged(base: unknown, over: unknown): unknown {
  const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isMap(base) || !isMap(over)) return over
  const added = Object.entries(over).map(([name, value]) => [
    name,
    name in base ? merged(base[name], value) : value,
  ])
  return { ...base, ...Object.fromEntries(added) }
}

function parsed(text: string): readonly Node[] {
  const trimmed = text.replaceAll(/\s*\{\{-/g, '{{').replaceAll(/-\}\}\s*/g, '}}')
  const parts = trimmed.split(/(\{\{.*?\}\})/s)
  const read = (): Node[] => {
    const nodes: Node[] = []
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const code = /^\{\{(.*)\}\}$/s.exec(part)?.[1]?.trim()
      if (code === undefined) nodes.push({ kind: 'text', text: part })
      else if (code === 'end') return nodes
      else {
        const [word = ''] = code.split(' ')
        const isBlock = ['if', 'with', 'range', 'define'].includes(word)
        const rest = code.slice(word.length).trim()
        nodes.push(isBlock ? { kind: 'block', word, code: rest, body: read() } : { kind: 'action', code })
      }
    }
    return nodes
  }
  return read()
}

function written(
  nodes: readonly Node[],
  scope: Scope,
  root: unknown,
  named: ReadonlyMap<string, readonly Node[]>,
): string {
  const evaluate = (code: string, within: Scope) => evaluated(code, within, root, named)
  const block = (word: string, code: string, body: readonly Node[]): string => {
    if (word === 'define') return ''
    if (word === 'range') {
      const [, key = '', item = '', list = ''] = /^\$(\w+), \$(\w+) := (.+)$/.exec(code) ?? []
      const entries = Object.entries(evaluate(list, scope) as object).sort(([a], [b]) => (a < b ? -1 : 1))
      const each = entries.map(([name, value]) => ({
        dot: value,
        variables: { ...scope.variables, [key]: name, [item]: value },
      }))
      return each.map((one) => written(body, one, root, named)).join('')
    }
    const value = evaluate(code, scope)
    if (!isTrue(value)) return ''
    return written(body, word === 'with' ? { ...scope, dot: value } : scope, root, named)
  }
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text
      if (node.kind === 'block') return block(node.word, node.code, node.body)
      return String(evaluate(node.code, scope))
    })
    .join('')
}

/** A pipeline: each part gets the value of the one before as its last argument. */
function evaluated(
  code: string,
  scope: Scope,
  root: unknown,
  named: ReadonlyMap<string, readonly Node[]>,
): unknown {
  const tokens = code.match(/"[^"]*"|\(|\)|\||[^\s()|]+/g) ?? []
  const functions: Readonly<Record<string, (...args: readonly never[]) => unknown>> = {
    ...library,
    include: (name: string, dot: unknown) => {
      const body = named.get(name)
      if (!body) throw new Error(`there is no template ${name}`)
      return written(body, { dot, variables: {} }, root, named)
    },
  }
  /** @param piped the value of the part before. */
  const call = (...piped: readonly unknown[]): unknown => {
    const name = functions[tokens[0] ?? ''] ? tokens.shift() : undefined
    const args: unknown[] = []
    while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')') args.push(term())
    if (name !== undefined) return functions[name]?.(...([...args, ...piped] as never[]))
    if (args.length + piped.length !== 1) throw new Error(`not understood: ${code}`)
    return args[0]
  }
  const pipeline = (): unknown => {
    let value = call()
    while (tokens[0] === '|') {
      tokens.shift()
      value = call(value)
    }
    return value
  }
  const term = (): unknown => {
    const token = tokens.shift() ?? ''
    if (token === '(') {
      const value = pipeline()
      tokens.shift()
      return value
    }
    if (/^["\d]/.test(token)) return JSON.parse(token)
    const [, sign, rest = ''] = /^([.$])([\w.]*)$/.exec(token) ?? []
    if (sign === undefined) throw new Error(`unknown function ${token} in: ${code}`)
    const names = rest.split('.').filter((name) => name !== '')
    const start = sign === '.' ? scope.dot : scope.variables
    return names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], start)
  }
  return pipeline()
}

const library: Readonly<Record<string, (...args: readonly never[]) => unknown>> = {
  quote: (value: unknown) => JSON.stringify(String(value)),
  default: (fallback: unknown, value: unknown) => (isTrue(value) ? value : fallback),
  not: (value: unknown) => !isTrue(value),
  printf: (format: string, ...values: readonly unknown[]) => {
    const left = [...values]
    return format.replaceAll('%s', () => String(left.shift()))
  },
  required: (message: string, value: unknown) => {
    if (value === undefined || value === '') throw new Error(message)
    return value
  },
  omit: (map: object, ...names: readonly string[]) =>
    Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name))),
  toYaml: (value: unknown) => stringify(value).trimEnd(),
  toJson: (value: unknown) => JSON.stringify(value),
  sha256sum: (text: string) => createHash('sha256').update(text).digest('hex'),
  nindent: (spaces: number, text: string) => `\n${text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces))}`,
}
