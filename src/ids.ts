import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `length` base62 characters from a CSPRNG, unbiased (bytes of 248 and above are rejected: 248 = 4 * 62). */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length + 8)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

/** Prefixes of the ids that people see. `file-` keeps the hyphen because some clients detect files by it. */
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
} as const

/** A new random id (24 base62 characters, 143 bits): existence cannot be counted or guessed. */
export function newId(kind: keyof typeof prefixes): string {
  return prefixes[kind] + randomBase62(24)
}
