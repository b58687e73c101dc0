import { headingKey } from '../../text/heading-keys.ts'

/** Titles as initials. In small letters or without gershayim they are other words, or numbers: `La`, `עח`. */
const keys: ReadonlySet<string> = new Set(
  'L.A. L"A L.M. I.K. IK IT I.T. KA K.A. SY S.Y. TZ T.Z. ע"ח ז"ח'.split(' ').map(headingKey),
)

/** Initials without dots that also mean other things: `LA`, `IT`. */
const ambiguous = /^(?:LA|IT)$/u

/** Whether written initials count as a title only before a number that can be nothing but a ref: `LA 31:2`. */
export function needsRef(written: string): boolean {
  return ambiguous.test(written)
}

/** Whether a key is that of initials. */
export function isInitials(key: string): boolean {
  return keys.has(key)
}

/**
 * The end of initials in a text, with their last dot. Undefined if the letters are not written as initials.
 * @param start of the first letter.
 * @param end of the last one.
 */
export function endOfInitials(text: string, start: number, end: number): number | undefined {
  const written = text.slice(start, end)
  if (/^(?:\p{Lu}["״”]?\p{Lu}|[א-ת]["״”][א-ת])$/u.test(written)) return end
  return /^\p{Lu}\. ?\p{Lu}$/u.test(written) && text.charAt(end) === '.' ? end + 1 : undefined
}
