import { createHash } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * The id of a call for an upstream that did not choose one itself. It depends only on our id. Mistral accepts nothing
 * but nine letters or digits (docs.mistral.ai, function calling); every other API accepts those too.
 */
export function upstreamIdOf(ourId: string): string {
  const digest = createHash('sha256').update(ourId).digest()
  return Array.from(digest.subarray(0, 9), (byte) => alphabet[byte % alphabet.length]).join('')
}
