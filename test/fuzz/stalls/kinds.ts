/** How large a value is to be: so many bytes as JSON, or so many characters. */
export type Size = { readonly bytes: number } | { readonly characters: number }

/** A class of worst cases: its values grow with the size, as the text of a JSON value. */
export type Kind = {
  readonly name: string
  readonly json: (size: Size) => string
}

/** A text that repeats something, between a beginning and an end. */
export type TextKind = Kind & { readonly text: (size: Size) => string }

/** What is repeated; a function gives each repetition its number, so that no two are alike. */
export type Piece = string | ((n: number) => string)

const pieceAt = (piece: Piece, n: number): string => (typeof piece === 'string' ? piece : piece(n))

/** How often a piece fits; at least once. */
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

/** @param before and `after` stand around the repetition: many matchers only fail at the end. */
export function textKind(name: string, piece: Piece, before = '', after = ''): TextKind {
  const text = (size: Size): string => {
    const whole = before + repeated(piece, timesIn(size, piece)) + after
    return 'characters' in size ? whole.slice(0, size.characters) : whole
  }
  return { name, text, json: (size) => JSON.stringify(text(size)) }
}

/** The same twice: every one of many openings is followed by every one of many closings. */
export function nestedText(name: string, opening: string, closing: string): TextKind {
  const text = (size: Size): string => {
    const times = timesIn(size, opening + closing)
    const whole = `${opening.repeat(times)}x${closing.repeat(times)}`
    return 'characters' in size ? whole.slice(0, size.characters) : whole
  }
  return { name, text, json: (size) => JSON.stringify(text(size)) }
}

/** A value of JSON that is written without being built: arrays of millions of members would fill this process. */
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

/** Nesting: as many openings as closings. */
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
