import { isRecord, type Json } from '../../json.ts'
import type { AttachedCall } from '../attached.ts'

/** Members by name. A map, because a server could send a member `__proto__`. */
type Members = Map<string, unknown>

/** Members of a message that the service reads itself or that belong to its answer. */
const READ = new Set(['role', 'content', 'refusal', 'tool_calls', 'function_call', 'audio', 'annotations'])
/** Members of a block that come in pieces. A signature comes whole. */
const IN_PIECES = new Set(['text', 'summary', 'data', 'thinking'])
const REASONING = /^(?:reasoning|think|thought)/

/** Blocks of a list. Those with the same index and type are pieces of one, as are thoughts of the same type. */
class Blocks {
  readonly #blocks: unknown[] = []
  readonly #known = new Map<string, Members>()
  readonly #areThoughts: boolean

  constructor(areThoughts = false) {
    this.#areThoughts = areThoughts
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0
  }

  get hasThinking(): boolean {
    return this.#known.has('thinking')
  }

  add(items: readonly unknown[]): this {
    for (const item of items) {
      const key = isRecord(item) ? this.#keyOf(item) : undefined
      const known = key === undefined ? undefined : this.#known.get(key)
      const block: Members = known ?? new Map()
      if (isRecord(item)) addPiece(block, item)
      if (known) continue
      this.#blocks.push(isRecord(item) ? block : item)
      if (key !== undefined) this.#known.set(key, block)
    }
    return this
  }

  #keyOf({ index, type }: Json): string | undefined {
    if (typeof index === 'number') return `${index} ${type}`
    return type === 'thinking' || (this.#areThoughts && type === 'text') ? type : undefined
  }

  toJSON(): unknown {
    return this.#blocks.map((block) => (block instanceof Map ? Object.fromEntries(block) : block))
  }
}

function addPiece(block: Members, piece: Json): void {
  for (const [name, value] of Object.entries(piece)) {
    const before = block.get(name)
    if (name === 'thinking' && Array.isArray(value))
      block.set(name, (before instanceof Blocks ? before : new Blocks(true)).add(value))
    else if (IN_PIECES.has(name) && typeof before === 'string' && typeof value === 'string')
      block.set(name, before + value)
    else if (value !== null || !block.has(name)) block.set(name, value)
  }
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length
}

/**
 * Members of an object that comes in fragments, except those that the service reads itself. Null means no member.
 * Members of members are merged. `joined` also joins texts and lists; otherwise the last value counts.
 */
export class OtherMembers {
  readonly #members: Members = new Map()
  readonly #read: ReadonlySet<string>
  readonly #merging: 'joined' | 'latest' | 'none'

  constructor(read: ReadonlySet<string> = new Set(), merging: 'joined' | 'latest' | 'none' = 'none') {
    this.#read = read
    this.#merging = merging
  }

  /** Whether no member says anything: each is an empty text or list. */
  get isEmpty(): boolean {
    return this.#members.values().every((value) => value === '' || (value instanceof Blocks && value.isEmpty))
  }

  /**
   * Adds the members of a fragment.
   * @returns by how many characters they grew.
   */
  add(fragment: Json): number {
    let grown = 0
    // No list of entries: nearly every delta has only content.
    for (const name in fragment) {
      const value = fragment[name]
      if (value === null || this.#read.has(name)) continue
      grown += lengthOf(value)
      this.#members.set(name, this.#merged(this.#members.get(name), value))
    }
    return grown
  }

  toJSON(): Json {
    return Object.fromEntries(this.#members)
  }

  /** Whether there is a member that says something and whose name matches. */
  has(name: RegExp): boolean {
    const matching = this.#members.entries().filter(([member]) => name.test(member))
    return matching.some(([, value]) => value !== '' && !(value instanceof Blocks && value.isEmpty))
  }

  #merged(before: unknown, value: unknown): unknown {
    if (this.#merging === 'none') return value
    if (isRecord(value)) {
      const members = before instanceof OtherMembers ? before : new OtherMembers()
      members.add(value)
      return members
    }
    if (this.#merging === 'latest') return value
    if (typeof before === 'string' && typeof value === 'string') return before + value
    return Array.isArray(value) ? (before instanceof Blocks ? before : new Blocks()).add(value) : value
  }
}

/** Collects what a server attached to a reply, as `AttachedReply` describes it. */
export class ReplyMembers {
  #message = new OtherMembers(READ, 'joined')
  #parts = new Blocks()

  /** Whether the server sent reasoning beside the text. */
  get hasReasoning(): boolean {
    return this.#message.has(REASONING) || this.#parts.hasThinking
  }

  /** Forgets everything, because the server repeats the message whole. */
  clear(): void {
    this.#message = new OtherMembers(READ, 'joined')
    this.#parts = new Blocks()
  }

  /**
   * Adds the members of a message or delta that the service does not read.
   * @returns by how many characters the collection grew.
   */
  add(message: Json): number {
    return this.#message.add(message)
  }

  /**
   * Adds a part of the content that is not text.
   * @returns by how many characters the collection grew.
   */
  addPart(part: Json): number {
    this.#parts.add([part])
    return lengthOf(part)
  }

  /** The collection with that of the tool calls, as JSON. Undefined if no server could want any of it back. */
  json(calls: readonly AttachedCall[]): string | undefined {
    if (calls.length === 0 && this.#parts.isEmpty && this.#message.isEmpty) return undefined
    const message = this.#message.toJSON()
    return JSON.stringify({
      ...(Object.keys(message).length > 0 && { message }),
      ...(!this.#parts.isEmpty && { parts: this.#parts }),
      ...(calls.length > 0 && { calls }),
    })
  }
}
