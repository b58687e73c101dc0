import type { ToolSpec } from './provider.ts'
import { estimateTokens } from './tokens.ts'

type ToolText = {
  readonly name: string
  readonly description: string
  readonly json: string
  readonly tokens: number
}

type ListText = { readonly json: Buffer; readonly tokens: number }

/** By list, because most turns have the same one. */
const lists = new WeakMap<readonly ToolSpec[], ListText>()
/** By parameter schema. A turn with client tools has a list of its own, and our tools are longer than most conversations. */
const known = new WeakMap<object, ToolText>()

/** Estimated tokens of the tools. */
export function toolTokens(tools: readonly ToolSpec[]): number {
  return listText(tools).tokens
}

/** The tools as a JSON array in UTF-8, for a request to the model. */
export function toolsJson(tools: readonly ToolSpec[]): Buffer {
  return listText(tools).json
}

function listText(tools: readonly ToolSpec[]): ListText {
  const earlier = lists.get(tools)
  if (earlier) return earlier
  const texts = tools.map(toolText)
  const text = {
    json: Buffer.from(`[${texts.map(({ json }) => json).join(',')}]`),
    tokens: texts.reduce((sum, { tokens }) => sum + tokens, 0),
  }
  lists.set(tools, text)
  return text
}

function toolText({ name, description, parameters }: ToolSpec): ToolText {
  const earlier = known.get(parameters)
  if (earlier?.name === name && earlier.description === description) return earlier
  const described = JSON.stringify({ name, description, parameters })
  const json = `{"type":"function","function":${described}}`
  const text = { name, description, json, tokens: estimateTokens(described) }
  known.set(parameters, text)
  return text
}
