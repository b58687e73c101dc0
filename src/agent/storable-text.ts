import type { ToolCall } from './provider.ts'

const nul = /\0/g

/** The text as the journal can keep it: Postgres takes neither the NUL character nor half a surrogate pair. */
export function storable(text: string): string {
  return text.replace(nul, '\ufffd').toWellFormed()
}

export function storableCall(call: ToolCall): ToolCall {
  return { id: call.id, name: storable(call.name), arguments: storable(call.arguments) }
}

const halfPairAtEnd = /[\ud800-\udbff]$/

/** Makes the pieces of one text storable. Half a pair at the end of a piece waits for its other half. */
export class StorablePieces {
  #held = ''

  push(piece: string): string {
    const text = this.#held + piece
    this.#held = halfPairAtEnd.exec(text)?.[0] ?? ''
    return storable(text.slice(0, text.length - this.#held.length))
  }

  /** What is left when no piece follows. */
  rest(): string {
    return storable(this.#held)
  }
}
