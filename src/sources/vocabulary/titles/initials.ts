import { headingKey } from '../../text/heading-keys.ts'

/** Titles as initials. Without their dots or gershayim they are other words: `LA`, `La`. */
const keys: ReadonlySet<string> = new Set(['L.A.', 'L"A', 'L.M.', 'I.K.', 'IK'].map(headingKey))

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
  if (/^\p{Lu}["״”]\p{Lu}$|^IK$/u.test(written)) return end
  return /^\p{Lu}\. ?\p{Lu}$/u.test(written) && text.charAt(end) === '.' ? end + 1 : undefined
}
