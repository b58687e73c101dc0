import type { ToolCall } from '../../agent/provider.ts'

/** A conversation that a client has sent in full. Hashes are SHA-256. */
export type Transcript = {
  /** Hash of all messages. The turn stores it. */
  readonly hash: Buffer
  /** The project that the request names. */
  readonly projectId: string | undefined
  /** The newest answer in it, with the hash of all messages before. Undefined if it has no answer. */
  readonly answered?: { readonly hash: Buffer; readonly answer: SentAnswer }
}

/** An answer as a client sends it. */
export type SentAnswer = { readonly text: string; readonly calls: readonly ToolCall[] }

/** An answer as the service stored it. */
export type StoredAnswer = {
  /** Its text without the source list. */
  readonly text: string
  /** Its text as the client got it. */
  readonly shown: string
  readonly calls: readonly ToolCall[]
}

/**
 * Whether a client sent an answer unchanged. Clients may leave out the source list, trim the text, and write the JSON
 * of arguments with other spaces.
 */
export function isSameAnswer(sent: SentAnswer, stored: StoredAnswer): boolean {
  const text = sent.text.trim()
  return (
    (text === stored.text.trim() || text === stored.shown.trim()) &&
    JSON.stringify(canonicalCalls(sent.calls)) === JSON.stringify(canonicalCalls(stored.calls))
  )
}

/** Calls in a form in which the spaces of their JSON do not matter. */
export function canonicalCalls(calls: readonly ToolCall[]): readonly (readonly string[])[] {
  return calls.map(({ id, name, arguments: text }) => [id, name, canonicalJson(text)])
}

function canonicalJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}
