import type { Hash } from 'node:crypto'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'

/** Characters hashed per iteration of the event loop. */
const slice = 1_000_000

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Adds a text to a hash, slice by slice, and lets the event loop run between slices. */
export async function updateInSlices(hash: Hash, text: string): Promise<void> {
  for (let from = 0, to = 0; from < text.length; from = to) {
    if (from > 0 || text.length > slice) await turnOfTheLoop()
    to = Math.min(from + slice, text.length)
    // Keeps both halves of a surrogate pair in one slice.
    if (isHighSurrogate(text.charCodeAt(to - 1))) to += 1
    hash.update(text.slice(from, to))
  }
}
