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

/** What tools take of the model's window, estimated. */
export function toolTokens(tools: readonly ToolSpec[]): number {
  return tools.reduce((sum, tool) => sum + toolText(tool).tokens, 0)
}

/**
 * Tools as they stand in a request to the model: an array in JSON. That of the last list is kept: nearly all turns have the
 * same one, unless their clients bring tools.
 */
export function toolsJson(tools: readonly ToolSpec[]): Buffer {
  if (last?.tools !== tools) {
    const json = Buffer.from(`[${tools.map((tool) => toolText(tool).json).join(',')}]`)
    last = { tools, json }
  }
  return last.json
}

/** Made once for each description of parameters: those of our tools are longer than most conversations and never change. */
function toolText({ name, description, parameters }: ToolSpec): Known {
  const earlier = known.get(parameters)
  if (earlier?.name === name && earlier.description === description) return earlier
  const described = JSON.stringify({ name, description, parameters })
  const json = `{"type":"function","function":${described}}`
  const text = { name, description, json, tokens: estimateTokens(described) }
  known.set(parameters, text)
  return text
}
