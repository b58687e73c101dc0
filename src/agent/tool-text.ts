import { estimateTokens, type ToolSpec } from './provider.ts'

/** A tool as it stands in a request to the model, and what it takes of the window, estimated. */
export type ToolText = { readonly json: string; readonly tokens: number }

type Known = ToolText & { readonly name: string; readonly description: string }

const known = new WeakMap<object, Known>()

/**
 * Made once for each description of parameters: those of our tools are longer than most conversations and never change,
 * while the tools around them are made for each turn.
 */
export function toolText({ name, description, parameters }: ToolSpec): ToolText {
  const earlier = known.get(parameters)
  if (earlier?.name === name && earlier.description === description) return earlier
  const described = JSON.stringify({ name, description, parameters })
  const json = `{"type":"function","function":${described}}`
  const text = { name, description, json, tokens: estimateTokens(described) }
  known.set(parameters, text)
  return text
}
