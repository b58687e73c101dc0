import { LineCounter, parseDocument } from 'yaml'

/**
 * Parses YAML or JSON.
 * @throws Error that names the line. The parser's own messages quote the text, which may hold secrets.
 */
export function parseYaml(text: string): unknown {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  if (error) throw new Error(`line ${lines.linePos(error.pos[0]).line} is not YAML or JSON (${error.code})`)
  return document.toJS({ maxAliasCount: 100 })
}
