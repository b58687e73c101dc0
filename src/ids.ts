import { createHash, randomBytes } from 'node:crypto'

/** The digits of base 62, in order. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * Returns `length` random base62 characters from a CSPRNG. Unbiased: bytes of 248 (4 × 62) and above are
 * rejected.
 */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length)
    for (const byte of randomBytes(length)) if (byte < 248) text += base62[byte % 62]
  return text.slice(0, length)
}

/** Prefixes of public ids. `file-` has a hyphen because some clients detect files by it. */
const prefixes = {
  account: 'acct_',
  key: 'key_',
  project: 'proj_',
  session: 'sess_',
  message: 'msg_',
  run: 'run_',
  file: 'file-',
  call: 'call_',
  request: 'req_',
  libraryJob: 'ljob_',
  sheet: 'sheet_',
  webhook: 'whk_',
  invitation: 'inv_',
} as const

/** A new random id with 24 base62 characters (143 bits), so ids can be neither counted nor guessed. */
export function newId(kind: keyof typeof prefixes): string {
  return prefixes[kind] + randomBase62(24)
}

/** An id in the form of `newId` that is a function of the text. It is as hard to guess as the text. */
export function derivedId(kind: keyof typeof prefixes, text: string): string {
  let rest = BigInt(`0x${createHash('sha256').update(text).digest('hex')}`)
  let digits = ''
  for (; digits.length < 24; rest /= 62n) digits += base62[Number(rest % 62n)]
  return prefixes[kind] + digits
}
