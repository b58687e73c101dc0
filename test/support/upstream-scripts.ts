import type { IncomingHttpHeaders } from 'node:http'

export type ScriptedCall = {
  readonly name: string
  /** An object is written as JSON text; a string is sent as it is, so that it can be malformed. */
  readonly arguments: string | Readonly<Record<string, unknown>>
  readonly id?: string
}

export type ScriptedUsage = {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly prompt_tokens_details?: Readonly<Record<string, number>>
  readonly completion_tokens_details?: Readonly<Record<string, number>>
}

/**
 * One step of a scripted reply. The headers (200, `text/event-stream`) go out with the first body bytes, unless a
 * `status` comes first. A script with `text` or `toolCalls` ends with a finish chunk, the usage (if requested)
 * and `[DONE]`, unless it ends with `end` or `destroy`.
 */
export type Action =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly json?: unknown }
  | { readonly sse: readonly (object | string)[] }
  | { readonly text: string; readonly chunks?: number; readonly delayMs?: number }
  | { readonly toolCalls: readonly ScriptedCall[] }
  | { readonly usage: ScriptedUsage | null }
  | { readonly finish: string }
  | { readonly raw: string | Uint8Array }
  | { readonly waitMs: number }
  | { readonly waitFor: Promise<unknown> }
  | { readonly call: () => void }
  | { readonly destroy: true }
  | { readonly end: true }

export type Script = readonly Action[]

/** The part of a chat-completions body that scripts read; at run time it contains everything sent. */
export type UpstreamBody = {
  readonly model: string
  readonly messages: readonly {
    readonly role: string
    readonly content: unknown
    readonly tool_calls?: readonly {
      readonly id: string
      readonly function: { readonly name: string; readonly arguments: string }
    }[]
    readonly tool_call_id?: string
  }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly [field: string]: unknown
}

export type ScriptSource = Script | ((body: UpstreamBody, headers: IncomingHttpHeaders) => Script)

/** A complete text reply in `chunks` deltas. */
export function reply(
  text: string,
  options: {
    readonly usage?: ScriptedUsage | null
    readonly chunks?: number
    readonly delayMs?: number
  } = {},
): Script {
  const { usage, ...pace } = options
  return usage === undefined ? [{ text, ...pace }] : [{ text, ...pace }, { usage }]
}

/** A complete reply of tool calls, optionally after some text. */
export function callTools(
  calls: readonly ScriptedCall[],
  options: { readonly text?: string; readonly usage?: ScriptedUsage | null } = {},
): Script {
  return [
    ...(options.text === undefined ? [] : [{ text: options.text }]),
    { toolCalls: calls },
    ...(options.usage === undefined ? [] : [{ usage: options.usage }]),
  ]
}

/** Sends `text`, or nothing, and then keeps the connection open without another byte. */
export function stall(text?: string): Script {
  return [...(text === undefined ? [] : [{ text }]), { waitFor: new Promise(() => {}) }]
}

/** Sends `text`, or only the headers, and then cuts the connection. */
export function cut(text?: string): Script {
  return [text === undefined ? { status: 200 } : { text }, { destroy: true }]
}

/** A refusal: a string becomes OpenAI's error object, any other value is the JSON body itself. */
export function error(
  status: number,
  body: unknown = 'scripted failure',
  headers: Readonly<Record<string, string>> = {},
): Script {
  const json = typeof body === 'string' ? { error: { message: body, type: 'scripted', code: null } } : body
  return [{ status, headers, json }]
}

/** A promise that a test resolves by hand, for `{waitFor: gate.opened}`. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('\n')
}

type Quotable = { readonly mark: string; readonly text: string }

function findMarked(value: unknown): Quotable | null {
  if (value === null || typeof value !== 'object') return null
  const { mark, text } = value as Readonly<Record<string, unknown>>
  if (typeof mark === 'string' && typeof text === 'string') return { mark: mark.replace(/[[\]]/g, ''), text }
  for (const member of Object.values(value)) {
    const found = findMarked(member)
    if (found) return found
  }
  return null
}

/** The first marked passage of a tool result: JSON with `mark` and `text` members, or text after a `[S1]` line. */
function firstPassage(content: string): Quotable | null {
  try {
    return findMarked(JSON.parse(content))
  } catch {
    const marked = /\[(S\d+)\][^\n]*\n+([^\n]+)/.exec(content) ?? /\[(S\d+)\][\s:]*([^\n]+)/.exec(content)
    return marked ? { mark: marked[1] ?? '', text: (marked[2] ?? '').trim() } : null
  }
}

/**
 * The first words of a passage that fit between quotation marks: words without quotation marks of their own.
 */
function quotable(text: string): string {
  const words = text.trim().split(/\s+/)
  const plain = words.map((word) => !/["“”„״]/.test(word))
  const start = plain.findIndex((_, at) => plain.slice(at, at + 4).filter(Boolean).length === 4)
  const from = Math.max(start, 0)
  const end = plain.findIndex((isPlain, at) => at > from && !isPlain)
  return words.slice(from, Math.min(end < 0 ? words.length : end, from + 12)).join(' ')
}

/**
 * The model of `node test/support/scripted-upstream.ts`: calls `search_sources` with the user's words, then
 * quotes the first words of the first passage found, with its mark.
 */
export function toolUsingConversation(body: UpstreamBody): Script {
  const asked = body.messages.findLastIndex((message) => message.role === 'user')
  const question = textOf(body.messages[asked]?.content)
  const results = body.messages.slice(asked + 1).filter((message) => message.role === 'tool')
  const canSearch = body.tools?.some((tool) => tool.function.name === 'search_sources') ?? false
  if (canSearch && results.length === 0) {
    return callTools([{ name: 'search_sources', arguments: { query: question } }])
  }
  if (!canSearch) return reply(`You asked: ${question}`, { chunks: 4 })
  const passage = results
    .map((result) => firstPassage(textOf(result.content)))
    .find((found) => found !== null)
  if (!passage) return reply('I found nothing in the library about this.', { chunks: 4 })
  return reply(`The library says: “${quotable(passage.text)}” [${passage.mark}].`, { chunks: 6 })
}
