import type { Place } from './world.ts'

/** What a client lets its user see of an answer. What it hides is absent. */
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

/** What a user is told of a failure: the class, and what else is there to read. */
export type Failure = { readonly kind: string; readonly status?: number | undefined; readonly code?: unknown }

/**
 * How often a client sends a request before it gives up; `repeats` for one that goes on for so long that the test
 * stops it after the second time.
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

/** One client at its default settings, in the words of its own users. */
export type Adapter = {
  readonly name: string
  whole(place: Place, question: string, signal?: AbortSignal): Promise<Seen>
  /** Text that comes goes to `onText`. Absent: the client cannot stream. */
  stream(place: Place, question: string, onText: (text: string) => void, signal?: AbortSignal): Promise<Seen>
  /** Offers the function `weather` with the client's own loop, which names no session. @returns the final text. */
  callTool(place: Place, question: string, weather: (city: string) => string): Promise<string>
  failureOf(error: unknown): Failure
  /** What it shows of a whole and of a streamed answer. */
  readonly shows: { readonly whole: readonly Part[]; readonly streamed: readonly Part[] }
  /** The class of each failure and how often it asks. */
  readonly troubles: Readonly<Record<TroubleName, Trouble>>
  /** The class of a failure after a step that was charged; undefined: it is read as a text that says so. */
  readonly brokenWhole: string | undefined
  /** The class of a failure in a stream, after text. */
  readonly brokenStream: string
  /** The class when the user stops it midway; undefined: the stream just ends. */
  readonly stopped: string | undefined
}

/** Refs, names and URLs in `x_service` and `annotations`, wherever a client keeps the two. */
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
