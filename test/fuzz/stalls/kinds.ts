/** Size of a value: bytes of its JSON text, or characters. */
export type Size = { readonly bytes: number } | { readonly characters: number }

/** A class of worst cases: the JSON text of its value grows with the size. */
export type Kind = {
  readonly name: string
  readonly json: (size: Size) => string
}

/** A text that repeats a piece between a prefix and a suffix. */
export type TextKind = Kind & { readonly text: (size: Size) => string }

/** The repeated piece; a function gets the number of the repetition, so that all pieces differ. */
export type Piece = string | ((n: number) => string)

const pieceAt = (piece: Piece, n: number): string => (typeof piece === 'string' ? piece : piece(n))

/** Number of pieces that fit; at least one. */
export function timesIn(size: Size, piece: Piece): number {
  const sample = pieceAt(piece, 1_000)
  const room = 'bytes' in size ? size.bytes : size.characters
  const each = 'bytes' in size ? Buffer.byteLength(JSON.stringify(sample)) - 2 : sample.length
  return Math.max(1, Math.floor(room / Math.max(1, each)))
}

function repeated(piece: Piece, times: number): string {
  if (typeof piece === 'string') return piece.repeat(times)
  return Array.from({ length: times }, (_, n) => piece(n)).join('')
}

/**
 * @param before prefix of the repetition.
 * @param after suffix: many matchers fail only at the end.
 */
export function textKind(name: string, piece: Piece, before = '', after = ''): TextKind {
  const text = (size: Size): string => {
    const whole = before + repeated(piece, timesIn(size, piece)) + after
    return 'characters' in size ? whole.slice(0, size.characters) : whole
  }
  return { name, text, json: (size) => JSON.stringify(text(size)) }
}

/** Repeats many openings and then as many closings. */
export function nestedText(name: string, opening: string, closing: string): TextKind {
  const text = (size: Size): string => {
    const times = timesIn(size, opening + closing)
    const whole = `${opening.repeat(times)}x${closing.repeat(times)}`
    return 'characters' in size ? whole.slice(0, size.characters) : whole
  }
  return { name, text, json: (size) => JSON.stringify(text(size)) }
}

/**
 * A JSON text that is written without building its value: arrays with millions of members would fill this
 * process.
 */
export function jsonKind(name: string, piece: Piece, before = '[', after = ']'): Kind {
  return {
    name,
    json(size) {
      const sample = pieceAt(piece, 1_000)
      const room = 'bytes' in size ? size.bytes : size.characters
      const times = Math.max(1, Math.floor(room / (Buffer.byteLength(sample) + 1)))
      if (typeof piece === 'string') return `${before}${`${piece},`.repeat(times - 1)}${piece}${after}`
      return before + Array.from({ length: times }, (_, n) => piece(n)).join(',') + after
    },
  }
}

/** Nested JSON: as many openings as closings. */
export function nestedJson(name: string, opening: string, closing: string): Kind {
  return {
    name,
    json(size) {
      const room = 'bytes' in size ? size.bytes : size.characters
      const times = Math.max(1, Math.floor(room / (opening.length + closing.length)))
      return `${opening.repeat(times)}1${closing.repeat(times)}`
    },
  }
}
