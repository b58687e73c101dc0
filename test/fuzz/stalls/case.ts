import type { ScriptSource } from '../../support/upstream-scripts.ts'

/** A request as it is sent, without credentials. */
export type WireRequest = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** One request that is measured. */
export type Step = {
  /** Name in the report, such as `POST /v1/files`, `page GET /ask`, `tool read_file`. */
  readonly subject: string
  readonly request: WireRequest
  readonly as: 'key' | 'visitor' | 'nobody'
  /** Script of the model during the request; default: a short reply. */
  readonly model?: ScriptSource
  /** Bytes that reach the service in another way than in the request, such as the model's reply. */
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
  /** Requests that show the result of the first one; they are measured too. */
  readonly next?: (reply: WireReply) => readonly Step[]
}

/** The name that selects a case again. */
export const nameOf = ({ subject, part, kind }: Pick<Case, 'subject' | 'part' | 'kind'>): string =>
  `${subject} | ${part} | ${kind}`

/** Each is about four times the previous one; the rest of a body still fits below the usual limits. */
export const bodySizes = [
  256, 1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000, 4_000_000, 16_000_000, 32_000_000,
]

/** Sizes for paths, queries and headers: Node's server reads 16 KiB of them in total. */
export const headSizes = [256, 1_000, 4_000, 14_000]

/** Text for a path or a query, cut at `most` characters before encoding. */
export function encoded(text: string, most: number): string {
  return encodeURIComponent(text.toWellFormed().slice(0, most))
    .slice(0, most)
    .replace(/%[\dA-F]?$/, '')
}

/** Text for a header: Latin-1 without control characters. */
export const headerText = (text: string, most: number): string =>
  text
    .replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '?')
    .slice(0, most)
    .trim()
