import { estimateTokens, type ToolSpec } from './provider.ts'

/** Tools as they stand in a request to the model, an array in JSON, and what they take of the window, estimated. */
export type ToolsText = { readonly json: Buffer; readonly tokens: number }

type Known = { readonly json: string; readonly tokens: number } & {
  readonly name: string
  readonly description: string
}

const known = new WeakMap<object, Known>()
let last: { readonly tools: readonly ToolSpec[]; readonly text: ToolsText } | undefined

/** The text of the last list is kept: nearly all turns have the same one, unless their clients bring tools. */
export function toolsText(tools: readonly ToolSpec[]): ToolsText {
  if (last?.tools !== tools) last = { tools, text: describe(tools) }
  return last.text
}

function describe(tools: readonly ToolSpec[]): ToolsText {
  const texts = tools.map(toolText)
  return {
    json: Buffer.from(`[${texts.map(({ json }) => json).join(',')}]`),
    tokens: texts.reduce((sum, { tokens }) => sum + tokens, 0),
  }
}

/**
 * Made once for each description of parameters: those of our tools are longer than most conversations and never change,
 * while the tools around them are made for each turn.
 */
function toolText({ name, description, parameters }: ToolSpec): Known {
  const earlier = known.get(parameters)
  if (earlier?.name === name && earlier.description === description) return earlier
  const described = JSON.stringify({ name, description, parameters })
  const json = `{"type":"function","function":${described}}`
  const text = { name, description, json, tokens: estimateTokens(described) }
  known.set(parameters, text)
  return text
}
