import { isRecord, type Json, parsedJson } from '../json.ts'
import type { ToolCall } from '../provider.ts'
import { storable } from '../storable-text.ts'

/** No tool needs more values. Checking this many takes about 10 ms. */
const maxValues = 10_000
const maxDepth = 50

/** The parsed arguments of a call, or their fault as one sentence for the model. */
type ParsedArguments = { readonly args: Json } | { readonly fault: string }

/** Parses the arguments of a call. Every string in the result is storable. */
export function parseArguments(call: ToolCall): ParsedArguments {
  if (/^\s*(null)?\s*$/.test(call.arguments)) return { args: {} }
  if (!isWithinBounds(call.arguments)) {
    return { fault: `The arguments have more than ${maxValues} values or ${maxDepth} levels.` }
  }
  const value = parsedJson(call.arguments)
  if (!isRecord(value)) return { fault: 'The arguments are not a JSON object.' }
  // Escapes such as \u0000 become characters only through parsing.
  return { args: call.arguments.includes('\\u') ? storableMembers(value) : value }
}

/** Counts the values and levels of a JSON text in one pass. Malformed text is left to the parser. */
function isWithinBounds(json: string): boolean {
  let [values, depth] = [1, 0]
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charAt(at)
    if (character === '"') at = closingQuote(json, at)
    else if (character === ']' || character === '}') depth -= 1
    else if (character === '[' || character === '{') {
      values += 1
      depth += 1
    } else if (character === ',') values += 1
    if (values > maxValues || depth > maxDepth) return false
  }
  return true
}

/** The index of the closing quote of the string that begins at `at`; the length of the text if there is none. */
function closingQuote(json: string, at: number): number {
  for (let end = at + 1; end < json.length; end += 1) {
    const character = json.charAt(end)
    if (character === '"') return end
    if (character === '\\') end += 1
  }
  return json.length
}

function storableMembers(value: object): Json {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, storableValue(item)]))
}

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  if (Array.isArray(value)) return value.map(storableValue)
  return typeof value === 'object' && value !== null ? storableMembers(value) : value
}
