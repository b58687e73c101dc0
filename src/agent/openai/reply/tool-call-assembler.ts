import { randomUUID } from 'node:crypto'
import { isRecord, type Json } from '../../json.ts'
import type { ToolCall } from '../../provider.ts'
import type { AttachedCall } from '../attached.ts'
import { CallFailure } from '../failure.ts'
import { CallArguments } from './call-arguments.ts'
import { OtherMembers } from './reply-members.ts'

type Draft = {
  readonly key: string | null
  id: string
  name: string
  readonly arguments: CallArguments
  readonly members: OtherMembers
  readonly function: OtherMembers
}

/** A normalised fragment of a call. Empty strings stand for missing fields. */
type Fragment = {
  readonly key: string | null
  readonly id: string
  readonly name: string
  readonly arguments: unknown
  readonly call: Json
  readonly function: Json
}

/** The tool calls of a reply. */
export type AssembledCalls = {
  readonly calls: readonly ToolCall[]
  readonly attached: readonly AttachedCall[]
  /** Whether the arguments of each call are a complete object. */
  readonly areWhole: boolean
}

const MOST_CALLS = 128
const NAME_CHARACTERS = 256
const ARGUMENT_CHARACTERS = 256 * 1024
/** Members of a call and of its function that the service reads itself. */
const CALL_MEMBERS = new Set(['index', 'id', 'type', 'function'])
/** What servers write for a call without arguments. */
const NO_ARGUMENTS = /^(?:null|"")?$/
const FUNCTION_MEMBERS = new Set(['name', 'arguments'])

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function readFragment(call: unknown): Fragment | null {
  if (!isRecord(call)) return null
  const body = isRecord(call['function']) ? call['function'] : {}
  const { index } = call
  return {
    key: typeof index === 'number' || typeof index === 'string' ? String(index) : null,
    id: asText(call['id']),
    name: asText(body['name']),
    arguments: body['arguments'],
    call,
    function: body,
  }
}

function hasArguments({ arguments: given }: Fragment): boolean {
  return isRecord(given) || asText(given).trim() !== ''
}

/** Whether the fragment has exactly the arguments that the draft has. */
function repeats(draft: Draft, { arguments: given }: Fragment): boolean {
  return draft.arguments.text === (isRecord(given) ? JSON.stringify(given) : given)
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
    if (sameId || !draft.arguments.isComplete) return false
    if (otherId) return true
    // Without ids, an empty object may precede the true arguments, and a call under its own index is a repetition.
    const isRestart = draft.arguments.text === '{}' || (fragment.key !== null && repeats(draft, fragment))
    return hasArguments(fragment) && !isRestart
  }
  // Under one index, another name may also be the next part of a name.
  return fragment.key === null || otherId || draft.arguments.isComplete
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
  add(call: unknown): number {
    const fragment = readFragment(call)
    if (!fragment) return 0
    const draft = this.#find(fragment) ?? this.#open(fragment)
    const before = draft.name.length + draft.arguments.text.length
    draft.id ||= fragment.id
    draft.name = mergedName(draft.name, fragment.name)
    draft.arguments.add(fragment.arguments)
    const others = draft.members.add(fragment.call) + draft.function.add(fragment.function)
    if (draft.name.length > NAME_CHARACTERS || draft.arguments.length > ARGUMENT_CHARACTERS) {
      throw new CallFailure('upstream', "The model's server sent a tool call that is too long.")
    }
    return Math.max(0, draft.name.length + draft.arguments.text.length - before) + others
  }

  /**
   * The calls with unique ids.
   * @param offered names of the tools of the request.
   * @throws CallFailure if one has no name: it can neither run nor be reported to the model.
   */
  finish(offered: readonly string[]): AssembledCalls {
    const used = new Set<string>()
    const attached: AttachedCall[] = []
    let areWhole = true
    const calls = this.#drafts.map((draft) => {
      if (draft.name.trim() === '')
        throw new CallFailure('upstream', "The model's server sent a tool call without a name.")
      const isOwn = draft.id !== '' && !used.has(draft.id)
      const id = isOwn ? draft.id : `call_${randomUUID().replaceAll('-', '')}`
      used.add(id)
      attached.push({
        ...(isOwn && { id }),
        ...(!draft.members.isEmpty && { members: draft.members.toJSON() }),
        ...(!draft.function.isEmpty && { function: draft.function.toJSON() }),
      })
      const { whole, text } = draft.arguments
      areWhole &&= whole !== undefined
      const written = NO_ARGUMENTS.test(text.trim()) ? '{}' : text
      return { id, name: offeredName(draft.name, offered), arguments: whole ?? written }
    })
    return { calls, attached, areWhole }
  }

  #find(fragment: Fragment): Draft | undefined {
    const candidate = this.#candidate(fragment)
    return candidate && opensAnother(candidate, fragment) ? undefined : candidate
  }

  #candidate(fragment: Fragment): Draft | undefined {
    const { key, id } = fragment
    const last = this.#drafts.at(-1)
    const indexed = key === null ? undefined : this.#drafts.findLast((draft) => draft.key === key)
    if (indexed) return indexed
    const known = id === '' ? undefined : this.#drafts.findLast((draft) => draft.id === id)
    if (key === null) return known ?? last
    // A new call has a name or an id. Without both, the server counts its fragments or numbers only some of them.
    return fragment.name === '' && id === '' ? last : undefined
  }

  #open(fragment: Fragment): Draft {
    if (this.#drafts.length === MOST_CALLS) {
      throw new CallFailure('upstream', "The model's server sent too many tool calls in one reply.")
    }
    const draft = {
      key: fragment.key,
      id: fragment.id,
      name: '',
      arguments: new CallArguments(),
      members: new OtherMembers(CALL_MEMBERS, 'latest'),
      function: new OtherMembers(FUNCTION_MEMBERS, 'latest'),
    }
    this.#drafts.push(draft)
    return draft
  }
}

const NAME_CHARACTER = /[\w-]/
const LETTERS = /^[a-z]+$/i

/**
 * Whether the text after an offered name is a rest of the model's template. It starts with a character that no name
 * has (`<|channel|>commentary`), or is a shorter word run into the name (`json`). `_v2` makes another name.
 */
function isTail(tail: string, tool: string): boolean {
  return !NAME_CHARACTER.test(tail.charAt(0)) || (LETTERS.test(tail) && tail.length < tool.length)
}

/**
 * The offered tool that a sent name means: the name itself, or the longest offered one that it contains as a word
 * beside the rest of a template. A name that fits none is returned without surrounding blanks.
 */
export function offeredName(sent: string, offered: readonly string[]): string {
  const name = sent.trim()
  if (offered.includes(name)) return name
  const fitting = offered.filter((tool) => {
    const at = name.indexOf(tool)
    return at >= 0 && !NAME_CHARACTER.test(name.charAt(at - 1)) && isTail(name.slice(at + tool.length), tool)
  })
  return fitting.reduce((longest, tool) => (tool.length > longest.length ? tool : longest), '') || name
}
