import { toHebrewNumber } from '../../text/hebrew-numbers.ts'

/**
 * The address of a piece of a text that an import has cut: `Title 3 §2`, in Hebrew `כותר פרק ג §ב`. It is the service's
 * own division and has a sign of its own, so that it never shares a ref with a publisher's segment `Title 3:2`.
 */
const piece = / §\d+$/
const hebrewPiece = / §[א-ת\d]+$/

/** @param number from 1. */
export function pieceRef(ref: string, number: number): string {
  return `${ref} §${number}`
}

/** Empty for a text without a Hebrew ref. */
export function hebrewPieceRef(heRef: string, number: number): string {
  return heRef === '' ? '' : `${heRef} §${number < 1_000 ? toHebrewNumber(number) : number}`
}

/** Whether a ref, in whatever way it is written, ends with the number of a piece: `Tanya ch. 3 §2`, `תניא פרק ג §ב`. */
export function namesPiece(written: string): boolean {
  return /§ ?[\p{L}\d"'׳״]{1,8}$/u.test(written)
}

/** The ref of the text that a piece was cut from; any other ref as it is. */
export function withoutPiece(ref: string): string {
  return ref.replace(piece, '')
}

export function withoutHebrewPiece(heRef: string): string {
  return heRef.replace(hebrewPiece, '')
}
