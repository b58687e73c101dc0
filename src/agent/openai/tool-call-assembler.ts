import { randomUUID } from 'node:crypto'
import type { ToolCall } from '../provider.ts'
import { CallFailure, isRecord } from './failure.ts'

type Draft = { readonly key: string | null; id: string; name: string; arguments: string }

/** A normalised fragment of a call. Empty strings stand for missing fields. */
type Fragment = {
  readonly key: string | null
  readonly id: string
  readonly name: string
  readonly arguments: string
}

const MOST_CALLS = 128
const NAME_CHARACTERS = 256
const ARGUMENT_CHARACTERS = 256 * 1024

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function readFragment(delta: unknown): Fragment | null {
  if (!isRecord(delta)) return null
  const body = isRecord(delta['function']) ? delta['function'] : {}
  const { index } = delta
  const given = body['arguments']
  return {
    key: typeof index === 'number' || typeof index === 'string' ? String(index) : null,
    id: asText(delta['id']),
    name: asText(body['name']),
    arguments: isRecord(given) ? JSON.stringify(given) : asText(given),
  }
}

function isComplete(json: string): boolean {
  if (!json.trimEnd().endsWith('}')) return false
  try {
    JSON.parse(json)
    return true
  } catch {
    return false
  }
}

/**
 * Whether a fragment that could continue a draft starts a new call. Some servers send whole calls without an
 * index, or all under index 0. Others repeat the name, or send a new id with each fragment, so neither alone
 * means a new call.
 */
function opensAnother(draft: Draft, fragment: Fragment): boolean {
  if (fragment.name === '' || draft.name === '') return false
  const otherId = fragment.id !== '' && draft.id !== '' && fragment.id !== draft.id
  const sameId = fragment.id !== '' && fragment.id === draft.id
  if (fragment.name === draft.name) {
    return !sameId && (otherId || fragment.arguments.trim() !== '') && isComplete(draft.arguments)
  }
  // Under one index, another name may also be the next part of a name.
  return fragment.key === null || otherId || isComplete(draft.arguments)
}

function mergedName(known: string, next: string): string {
  if (next === '' || next === known) return known
  return next.startsWith(known) ? next : known + next
}

/** Assembles tool calls from the fragments of a stream, however the upstream splits and labels them. */
export class ToolCallAssembler {
  readonly #drafts: Draft[] = []

  get count(): number {
    return this.#drafts.length
  }

  /**
   * Adds one element of `delta.tool_calls`.
   * @returns by how many characters the drafts grew.
   * @throws CallFailure if a limit is exceeded.
   */
  add(delta: unknown): number {
    const fragment = readFragment(delta)
    if (!fragment) return 0
    const draft = this.#find(fragment) ?? this.#open(fragment)
    const before = draft.name.length + draft.arguments.length
    draft.id ||= fragment.id
    draft.name = mergedName(draft.name, fragment.name)
    // A server that streams a call and then repeats it whole sends the same text twice.
    const repeated = draft.arguments === fragment.arguments && isComplete(draft.arguments)
    if (!repeated) draft.arguments += fragment.arguments
    if (draft.name.length > NAME_CHARACTERS || draft.arguments.length > ARGUMENT_CHARACTERS) {
      throw new CallFailure('upstream', "The model's server sent a tool call that is too long.")
    }
    return draft.name.length + draft.arguments.length - before
  }

  /**
   * The calls with unique ids.
   * @throws CallFailure if one has no name: it can neither run nor be reported to the model.
   */
  finish(): readonly ToolCall[] {
    const used = new Set<string>()
    return this.#drafts.map((draft) => {
      if (draft.name === '')
        throw new CallFailure('upstream', "The model's server sent a tool call without a name.")
      const id = draft.id === '' || used.has(draft.id) ? `call_${randomUUID().replaceAll('-', '')}` : draft.id
      used.add(id)
      return { id, name: draft.name, arguments: draft.arguments.trim() === '' ? '{}' : draft.arguments }
    })
  }

  #find(fragment: Fragment): Draft | undefined {
    const candidate = this.#candidate(fragment)
    return candidate && opensAnother(candidate, fragment) ? undefined : candidate
  }

  #candidate(fragment: Fragment): Draft | undefined {
    if (fragment.key !== null) return this.#drafts.findLast((draft) => draft.key === fragment.key)
    const known = fragment.id === '' ? undefined : this.#drafts.findLast((draft) => draft.id === fragment.id)
    return known ?? this.#drafts.at(-1)
  }

  #open(fragment: Fragment): Draft {
    if (this.#drafts.length === MOST_CALLS) {
      throw new CallFailure('upstream', "The model's server sent too many tool calls in one reply.")
    }
    const draft = { key: fragment.key, id: fragment.id, name: '', arguments: '' }
    this.#drafts.push(draft)
    return draft
  }
}
