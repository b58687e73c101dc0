import type { IncomingHttpHeaders } from 'node:http'

/** A request body; its members are the provider's own. */
// biome-ignore lint/suspicious/noExplicitAny: a stranger's JSON, whose checks are the point of these servers
export type Body = any

export type Refusal = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

export type Call = { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }

/** What the model does in one call. */
export type Move = {
  readonly thoughts?: string
  readonly text?: string
  readonly calls?: readonly Call[]
  /** The limit of output tokens was reached. */
  readonly cutShort?: boolean
}

/** Token counts that the reply reports. They differ from any estimate of ours. */
export type Tokens = { readonly prompt: number; readonly completion: number }

/**
 * What the API's documentation asks clients to send back of a reply, in one form per API: its calls with their ids and
 * arguments, and what is attached to them.
 */
export type Issued = Readonly<Record<string, unknown>>

export type Reply = {
  /** Blocks of the stream, each a whole event or comment with its blank line. */
  readonly blocks: readonly string[]
  readonly issued: Issued
}

export type Question = {
  /** The newest words of the user that have a plan. */
  readonly text: string
  /** Replies of the model since then. */
  readonly steps: number
}

/** One provider's API, as its public documentation and its users describe it. */
export type Provider = {
  readonly name: string
  /** Its address after the host, as `base_url` has it. */
  readonly base: string
  /** The address that is called, after `base`. */
  readonly path: string
  /** Members of its entry in `MODELS_FILE` besides id, address, key and name. */
  readonly entry?: Readonly<Record<string, unknown>>
  /** Why the real server would refuse the request. */
  check(body: Body, headers: IncomingHttpHeaders): Refusal | undefined
  question(body: Body): Question
  /** What came back of the model's replies, oldest first, in the form of `Reply.issued`. */
  returned(body: Body): readonly Issued[]
  /** @param serial a number that no other reply has, for ids. */
  reply(move: Move, tokens: Tokens, serial: number, body: Body): Reply
  /** The answer to too many requests; its hint is one second. */
  readonly busy: Refusal
  /** How a stream ends that breaks off; default: the connection is cut. */
  readonly broken?: readonly string[]
  /** Members of a chat request that the model refuses, and the one that has to be left out. */
  readonly refuses?: {
    readonly sent: Readonly<Record<string, unknown>>
    readonly param: string
    /** What the model does once it has accepted the rest; default: it answers. */
    readonly plan?: string
  }
}

export const plain = (status: number, body: unknown): Refusal => ({ status, body })

export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

/** Pieces as models send them: a word with the space before it. */
export const pieces = (text: string): readonly string[] => text.match(/\s*\S+\s*$|\s*\S+/g) ?? []

/** Halves of a text, for arguments that come in parts. */
export function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '')
}

const alphabet = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Letters and digits that look drawn by lot, and are the same for the same number. */
export function letters(seed: number, length: number): string {
  let state = (seed * 2_654_435_761 + 97) >>> 0
  return Array.from({ length }, () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 40_503) >>> 0
    return alphabet[state % alphabet.length]
  }).join('')
}
