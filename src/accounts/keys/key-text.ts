import { crc32 } from 'node:zlib'
import { base62, randomBase62 } from '../../ids.ts'

/**
 * The text of an API key: `svc_` + 43 random base62 characters (256 bits) + 6 base62 characters of their CRC-32.
 * The prefix lets secret scanners find leaked keys; the checksum refuses typing errors without a database call
 * (the form GitHub's tokens have). It is no protection by itself.
 */
export const keyPrefix = 'svc_'

const form = /^svc_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

/** A new key from a CSPRNG. */
export function generateKeyText(): string {
  const secret = randomBase62(43)
  return keyPrefix + secret + checksum(secret)
}

/** Whether `text` has the form and the checksum of a key. */
export function isKeyText(text: string): boolean {
  const match = form.exec(text)
  return match?.[1] !== undefined && checksum(match[1]) === match[2]
}

/** The parts of a key that may be shown after its creation. */
export function displayParts(keyText: string): { prefix: string; lastFour: string } {
  return { prefix: keyText.slice(0, keyPrefix.length + 4), lastFour: keyText.slice(-4) }
}

function checksum(secret: string): string {
  let value = crc32(secret)
  let text = ''
  for (let i = 0; i < 6; i += 1) {
    text = base62.charAt(value % 62) + text
    value = Math.floor(value / 62)
  }
  return text
}
