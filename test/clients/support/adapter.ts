import type { Place } from './world.ts'

/** The parts of an answer that a client shows its user. Hidden parts are absent. */
export type Seen = {
  readonly text: string
  readonly session?: string | undefined
  /** Refs of the sources, names of the files, URLs of the citations. */
  readonly sources?: readonly string[] | undefined
  readonly files?: readonly string[] | undefined
  readonly links?: readonly string[] | undefined
  readonly cost?: number | undefined
}

export type Part = Exclude<keyof Seen, 'text'>

/** A failure as the user sees it: its class, status and code. */
export type Failure = { readonly kind: string; readonly status?: number | undefined; readonly code?: unknown }

/**
 * Number of requests before a client gives up; `repeats` if it retries so long that the test stops it after
 * the second one.
 */
export type Attempts = number | 'repeats'

export type Trouble = { readonly kind: string; readonly attempts: Attempts }

export type TroubleName =
  | 'bad request'
  | 'wrong key'
  | 'no credits'
  | 'missing scope'
  | 'unknown session'
  | 'unknown model'
  | 'busy session'
  | 'too large'
  | 'too many turns'
  | 'internal error'
  | 'model failed'
  | 'shutting down'

/** One client at its default settings, driven as its documentation shows. */
export type Adapter = {
  readonly name: string
  whole(place: Place, question: string, signal?: AbortSignal): Promise<Seen>
  /** Passes arriving text to `onText`. Absent: the client cannot stream. */
  stream(place: Place, question: string, onText: (text: string) => void, signal?: AbortSignal): Promise<Seen>
  /**
   * Offers the function `weather` through the client's own tool loop, without a session.
   * @returns the final text.
   */
  callTool(place: Place, question: string, weather: (city: string) => string): Promise<string>
  failureOf(error: unknown): Failure
  /** The parts of a whole and of a streamed answer that it shows. */
  readonly shows: { readonly whole: readonly Part[]; readonly streamed: readonly Part[] }
  /** The class of each failure, and the number of requests. */
  readonly troubles: Readonly<Record<TroubleName, Trouble>>
  /** The class of a failure after a charged step; undefined: the client shows the text that reports it. */
  readonly brokenWhole: string | undefined
  /** The class of a failure in a stream after some text. */
  readonly brokenStream: string
  /** The class when the user stops the stream; undefined: the stream just ends. */
  readonly stopped: string | undefined
}

/** Refs, names and URLs in `x_service` and `annotations`, wherever a client stores these two. */
export function seenIn(
  text: string,
  block: unknown,
  more: { readonly annotations?: unknown; readonly usage?: unknown } = {},
): Seen {
  const { session_id, sources, files, usage } = (block ?? {}) as ServiceBlock
  const annotations = more.annotations as readonly Annotation[] | undefined
  return {
    text,
    session: session_id,
    sources: sources?.map(({ ref }) => ref),
    files: files?.map(({ filename }) => filename),
    links: annotations?.map((one) => one.url ?? one.url_citation?.url ?? ''),
    cost: (more.usage as { readonly cost?: number } | undefined)?.cost ?? usage?.cost,
  }
}

type ServiceBlock = {
  readonly session_id?: string
  readonly sources?: readonly { readonly ref: string }[]
  readonly files?: readonly { readonly filename: string }[]
  readonly usage?: { readonly cost: number }
}
type Annotation = { readonly url?: string; readonly url_citation?: { readonly url: string } }

/** Names and parameters of the one function of a client. */
export const weatherTool = {
  name: 'weather',
  description: 'The weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
} as const
