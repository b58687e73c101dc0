import { z } from 'zod'

/**
 * Items that this service never produces. Clients send them when their history comes from another server, or for
 * tools that they run themselves. What a person or a model could read becomes a message; the rest is left out.
 */

type Fields = Readonly<Record<string, unknown>>
type ForeignMessage = { readonly role: 'assistant' | 'user'; readonly content: string }

/** Types without text for the model. All types that end with `_call` or `_output` are foreign too. */
const withoutText = [
  'reasoning',
  'compaction',
  'compaction_summary',
  'context_compaction',
  'compaction_trigger',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'additional_tools',
  'ghost_snapshot',
  'program',
  'configuration_update',
] as const

/** Calls and results of the client's own tools. */
const ownTypes: ReadonlySet<string> = new Set([
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
])

/** An item of another server, for the API description. */
export const foreignItem = z
  .looseObject({
    type: z
      .string()
      .regex(/_(call|output)$/)
      .or(z.enum(withoutText)),
  })
  .describe('An item of another server. Its text becomes a message; an item without text is ignored.')

/** Undefined for an item that the service reads itself; `message` is absent for an item without text. */
export function readForeign(sent: unknown): { readonly message?: ForeignMessage } | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined
  const item = sent as Fields
  const type = item['type']
  if (typeof type !== 'string' || ownTypes.has(type)) return undefined
  if ((withoutText as readonly string[]).includes(type)) return {}
  if (!/_(call|output)$/.test(type)) return undefined
  const message = type.endsWith('_output') ? outputMessage(item, type) : callMessage(item, type)
  return message ? { message } : {}
}

/** A result of a tool that the client ran. */
function outputMessage(item: Fields, type: string): ForeignMessage | undefined {
  const text = readable(item['output'])
  if (text === '') return undefined
  return { role: 'user', content: `Result of ${textOf(item['name']) || toolOf(type)}: ${text}` }
}

/** A call, with its result if the server ran the tool itself. */
function callMessage(item: Fields, type: string): ForeignMessage | undefined {
  const asked = ['input', 'arguments', 'action', 'operation', 'queries', 'code']
    .map((name) => readable(item[name]))
    .filter((text) => text !== '')
    .join('\n')
  const found = ['output', 'outputs', 'results', 'error']
    .map((name) => readable(item[name]))
    .filter((text) => text !== '')
    .join('\n')
  if (asked === '' && found === '') return undefined
  const call = `Used ${textOf(item['name']) || toolOf(type)}: ${asked}`
  return { role: 'assistant', content: found === '' ? call : `${call}\nResult: ${found}` }
}

const toolOf = (type: string) =>
  type.replace(/(_tool)?(_call)?(_output)?$/, '').replaceAll('_', ' ') || 'tool'

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** Members whose values are ids, kinds or data, and no text for a reader. */
const unreadable = new Set([
  'type',
  'id',
  'call_id',
  'status',
  'file_id',
  'image_url',
  'file_data',
  'result',
  'url',
  'env',
])

/** The texts of a value, one per line; members that hold ids or data are left out. */
function readable(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  if (Array.isArray(value)) return value.map(readable).filter(Boolean).join('\n')
  return Object.entries(value)
    .map(([name, member]) => (unreadable.has(name) ? '' : readable(member)))
    .filter(Boolean)
    .join('\n')
}
