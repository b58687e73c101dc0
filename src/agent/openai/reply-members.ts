import type { AttachedCall, AttachedReply } from './attached.ts'
import { isRecord } from './failure.ts'

type Json = Readonly<Record<string, unknown>>
/** Members by name. A map, because a server could send a member `__proto__`. */
type Members = Map<string, unknown>

/** Members of a message that the service reads itself or that belong to its answer. */
const READ = new Set(['role', 'content', 'refusal', 'tool_calls', 'function_call', 'audio', 'annotations'])
/** Members of a block of `reasoning_details` that come in pieces. A signature comes whole. */
const IN_PIECES = new Set(['text', 'summary', 'data'])
const REASONING = /^(?:reasoning|think|thought)/

/** Blocks of a list. Those with the same index and type are pieces of one. */
class Blocks {
  readonly #blocks: unknown[] = []
  readonly #byIndex = new Map<string, Members>()

  add(items: readonly unknown[]): this {
    for (const item of items) {
      if (!isRecord(item) || typeof item['index'] !== 'number') {
        this.#blocks.push(item)
        continue
      }
      const key = `${item['index']} ${item['type']}`
      const known = this.#byIndex.get(key) ?? new Map<string, unknown>()
      if (known.size === 0) {
        this.#byIndex.set(key, known)
        this.#blocks.push(known)
      }
      mergePieces(known, item)
    }
    return this
  }

  toJSON(): unknown {
    return this.#blocks.map((block) => (block instanceof Map ? Object.fromEntries(block) : block))
  }
}

function mergePieces(known: Members, piece: Json): void {
  for (const [name, value] of Object.entries(piece)) {
    const before = known.get(name)
    const joins = IN_PIECES.has(name) && typeof before === 'string' && typeof value === 'string'
    if (joins) known.set(name, before + value)
    else if (value !== null || !known.has(name)) known.set(name, value)
  }
}

/** A member after another piece of it. */
function merged(before: unknown, value: unknown): unknown {
  if (typeof before === 'string' && typeof value === 'string') return before + value
  if (Array.isArray(value)) return (before instanceof Blocks ? before : new Blocks()).add(value)
  if (isRecord(before) && isRecord(value)) return { ...before, ...value }
  return value
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length
}

/** Members of `from` that are not among `read`, added to those of earlier fragments. Undefined if there are none. */
export function otherMembers(
  before: Json | undefined,
  from: Json,
  read: ReadonlySet<string>,
): Json | undefined {
  let members = before
  for (const [name, value] of Object.entries(from)) {
    if (value === null || read.has(name)) continue
    const known = members?.[name]
    members = { ...members, [name]: isRecord(known) && isRecord(value) ? { ...known, ...value } : value }
  }
  return members
}

type TextItem = { readonly type: 'text'; text: string }

function isText(value: unknown): value is TextItem {
  return isRecord(value) && value['type'] === 'text' && typeof value['text'] === 'string'
}

/** Adds items to those of a `thinking` part. Consecutive texts become one. */
function addThoughts(known: unknown[], items: readonly unknown[]): void {
  for (const item of items) {
    const last = known.at(-1)
    if (isText(item) && isText(last)) last.text += item.text
    else known.push(isText(item) ? { ...item } : item)
  }
}

/** Collects what a server attached to a reply, as `AttachedReply` describes it. */
export class ReplyMembers {
  #members: Members = new Map()
  #parts: Members[] = []
  #hasReasoning = false

  /** Whether the server sent reasoning beside the text. */
  get hasReasoning(): boolean {
    return this.#hasReasoning
  }

  /** Forgets everything, because the server repeats the message whole. */
  clear(): void {
    this.#members = new Map()
    this.#parts = []
  }

  /**
   * Adds the members of a message or delta that the service does not read.
   * @returns by how many characters the collection grew.
   */
  add(message: Json): number {
    let grown = 0
    // No list of entries: nearly every delta has only content.
    for (const name in message) {
      const value = message[name]
      if (READ.has(name) || value === null) continue
      const length = lengthOf(value)
      grown += length
      if (length > 0 && REASONING.test(name)) this.#hasReasoning = true
      this.#members.set(name, merged(this.#members.get(name), value))
    }
    return grown
  }

  /**
   * Adds a part of the content that is not text.
   * @returns by how many characters the collection grew.
   */
  addPart(part: Json): number {
    const isThinking = part['type'] === 'thinking'
    const last = this.#parts.at(-1)
    const isMore = isThinking && last?.get('type') === 'thinking'
    const known: Members = isMore ? last : new Map()
    if (!isMore) this.#parts.push(known)
    if (isThinking) this.#hasReasoning = true
    for (const [name, value] of Object.entries(part)) {
      const before = known.get(name)
      if (name !== 'thinking') known.set(name, value ?? before)
      else if (Array.isArray(value)) {
        const thoughts: unknown[] = Array.isArray(before) ? before : []
        addThoughts(thoughts, value)
        known.set(name, thoughts)
      } else known.set(name, merged(before, value))
    }
    return lengthOf(part)
  }

  /** The collection with that of the tool calls, as JSON. Undefined if no server could want any of it back. */
  json(calls: readonly AttachedCall[]): string | undefined {
    const isEmpty = this.#members.values().every((value) => value === '')
    if (calls.length === 0 && this.#parts.length === 0 && isEmpty) return undefined
    const attached: AttachedReply = {
      ...(this.#members.size > 0 && { message: Object.fromEntries(this.#members) }),
      ...(this.#parts.length > 0 && { parts: this.#parts.map((part) => Object.fromEntries(part)) }),
      ...(calls.length > 0 && { calls }),
    }
    return JSON.stringify(attached)
  }
}
