import type { ScriptSource } from '../../support/upstream-scripts.ts'

/** A request as it goes over the wire, without what says who sends it. */
export type WireRequest = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** One request that is measured. */
export type Step = {
  /** Under which it is reported: such as `POST /v1/files`, `page GET /ask`, `tool read_file`. */
  readonly subject: string
  readonly request: WireRequest
  readonly as: 'key' | 'visitor' | 'nobody'
  /** What the model answers meanwhile; a short reply when not given. */
  readonly model?: ScriptSource
  /** Bytes that are sent in another way than by the request, such as the model's reply. */
  readonly moreBytes?: number
}

export type WireReply = {
  readonly status: number
  readonly location: string | undefined
  readonly text: string
}

/** One worst case, at any size. */
export type Case = {
  readonly subject: string
  /** The part of the input that grows, such as `body messages[].content`. */
  readonly part: string
  readonly kind: string
  /** Ascending, in bytes. */
  readonly sizes: readonly number[]
  readonly step: (bytes: number) => Step
  /** Requests that show what the first one has left, measured as well. */
  readonly next?: (reply: WireReply) => readonly Step[]
}

/** By it a case can be named again. */
export const nameOf = ({ subject, part, kind }: Pick<Case, 'subject' | 'part' | 'kind'>): string =>
  `${subject} | ${part} | ${kind}`

/** Each about four times the last; they leave room for what stands around the value below the usual limits of bodies. */
export const bodySizes = [
  256, 1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000, 4_000_000, 16_000_000, 32_000_000,
]

/** Paths, queries and headers: Node's server reads 16 KiB of them in all. */
export const headSizes = [256, 1_000, 4_000, 14_000]

/** Text that may stand in a path or a query, so long at most. */
export function encoded(text: string, most: number): string {
  return encodeURIComponent(text.toWellFormed().slice(0, most))
    .slice(0, most)
    .replace(/%[\dA-F]?$/, '')
}

/** Latin letters without control characters: what a header may hold. */
export const headerText = (text: string, most: number): string =>
  text
    .replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '?')
    .slice(0, most)
    .trim()
