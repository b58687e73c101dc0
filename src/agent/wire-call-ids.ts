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

/**
 * The ids of calls as the upstream gets them: its own where it chose one, otherwise one that every server accepts. Each
 * is used once in a request. Results follow their reply, so the newest call with our id is theirs.
 */
export class WireIds {
  readonly #used = new Set<string>()
  readonly #byOurs = new Map<string, string>()

  ofCall(ours: string, upstreams: string | undefined): string {
    let id = upstreams === undefined || this.#used.has(upstreams) ? upstreamIdOf(ours) : upstreams
    for (let again = 2; this.#used.has(id); again += 1) id = upstreamIdOf(`${ours} ${again}`)
    this.#used.add(id)
    this.#byOurs.set(ours, id)
    return id
  }

  ofResult(ours: string): string {
    return this.#byOurs.get(ours) ?? upstreamIdOf(ours)
  }
}
