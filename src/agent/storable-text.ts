import type { ToolCall } from './provider.ts'

const nul = /\0/g

/** The text as the journal can keep it: Postgres takes neither the NUL character nor half a surrogate pair. */
export function storable(text: string): string {
  return text.replace(nul, '\ufffd').toWellFormed()
}

export function storableCall(call: ToolCall): ToolCall {
  return { id: call.id, name: storable(call.name), arguments: storable(call.arguments) }
}

const trailingHighSurrogate = /[\ud800-\udbff]$/

/**
 * Makes the pieces of one reply storable. An upstream may cut between the two halves of a character, so half a pair
 * at the end of a piece waits for the next one.
 */
export function createPieceCleaner(): (piece: string) => string {
  let held = ''
  return (piece) => {
    const text = held + piece
    held = trailingHighSurrogate.exec(text)?.[0] ?? ''
    return storable(text.slice(0, text.length - held.length))
  }
}
