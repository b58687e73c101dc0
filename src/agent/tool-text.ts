import type { ToolSpec } from './provider.ts'
import { estimateTokens } from './tokens.ts'

type Known = {
  readonly name: string
  readonly description: string
  readonly json: string
  readonly tokens: number
}

const known = new WeakMap<object, Known>()
let last: { readonly tools: readonly ToolSpec[]; readonly json: Buffer } | undefined

/** Estimated tokens of the tools. */
export function toolTokens(tools: readonly ToolSpec[]): number {
  return tools.reduce((sum, tool) => sum + toolText(tool).tokens, 0)
}

/**
 * The tools as a JSON array in UTF-8, for a request to the model. The last list is cached, because most turns
 * have the same tools.
 */
export function toolsJson(tools: readonly ToolSpec[]): Buffer {
  if (last?.tools !== tools) {
    const json = Buffer.from(`[${tools.map((tool) => toolText(tool).json).join(',')}]`)
    last = { tools, json }
  }
  return last.json
}

/** Cached per parameter schema. Those of our tools are longer than most conversations and never change. */
function toolText({ name, description, parameters }: ToolSpec): Known {
  const earlier = known.get(parameters)
  if (earlier?.name === name && earlier.description === description) return earlier
  const described = JSON.stringify({ name, description, parameters })
  const json = `{"type":"function","function":${described}}`
  const text = { name, description, json, tokens: estimateTokens(described) }
  known.set(parameters, text)
  return text
}
