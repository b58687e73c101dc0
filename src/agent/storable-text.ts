import type { ToolCall } from './provider.ts'

const nul = /\0/g

/** Makes a text storable: Postgres accepts neither NUL nor half a surrogate pair. */
export function storable(text: string): string {
  return text.replace(nul, '\ufffd').toWellFormed()
}

export function storableCall(call: ToolCall): ToolCall {
  return { id: call.id, name: storable(call.name), arguments: storable(call.arguments) }
}

const halfPairAtEnd = /[\ud800-\udbff]$/

/** Makes the pieces of one text storable. Half a surrogate pair at the end of a piece waits for the next piece. */
export class StorablePieces {
  #held = ''

  push(piece: string): string {
    const text = this.#held + piece
    this.#held = halfPairAtEnd.exec(text)?.[0] ?? ''
    return storable(text.slice(0, text.length - this.#held.length))
  }

  /** The rest of the text after the last piece. */
  rest(): string {
    return storable(this.#held)
  }
}
