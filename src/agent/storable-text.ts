import type { ToolCall } from './provider.ts'

const nul = /\0/g

/** Makes a text storable: Postgres accepts neither NUL nor half a surrogate pair. */
export function storable(text: string): string {
  return text.replace(nul, '\ufffd').toWellFormed()
}

export function storableCall(call: ToolCall): ToolCall {
  return { id: call.id, name: storable(call.name), arguments: storable(call.arguments) }
}

/** The longest beginning of a storable text that has at most so many UTF-8 bytes. */
export function firstBytes(text: string, most: number): string {
  // A character has at least one byte per UTF-16 unit. `stream` drops an incomplete one at the end.
  const bytes = Buffer.from(text.slice(0, most)).subarray(0, most)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
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
