import { toHebrewNumber } from '../../text/hebrew-numbers.ts'

/** The address of a piece of a long text: `Title 3 §2`. A publisher's segments have a colon: `Title 3:2`. */
const piece = / §\d+$/
const hebrewPiece = / §[א-ת\d]+$/

/** @param number from 1. */
export function pieceRef(ref: string, number: number): string {
  return `${ref} §${number}`
}

/** Returns the Hebrew ref of a piece; empty for a text without a Hebrew ref. */
export function hebrewPieceRef(heRef: string, number: number): string {
  return heRef === '' ? '' : `${heRef} §${number < 1_000 ? toHebrewNumber(number) : number}`
}

/** Whether a ref in any form ends with the number of a piece: `Tanya ch. 3 §2`, `תניא פרק ג §ב`. */
export function namesPiece(written: string): boolean {
  return /§ ?[\p{L}\d"'׳״]{1,8}$/u.test(written)
}

/** Converts the ref of a piece to the ref of its text. Other refs stay as they are. */
export function withoutPiece(ref: string): string {
  return ref.replace(piece, '')
}

export function withoutHebrewPiece(heRef: string): string {
  return heRef.replace(hebrewPiece, '')
}
