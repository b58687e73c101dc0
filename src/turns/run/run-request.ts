import type { Sampling, ToolChoice, ToolSpec } from '../../agent/provider.ts'

/** What a client asked of a turn beside its messages; stored with the run so that any replica can go on with it. */
export type RunRequest = {
  readonly sampling: Sampling
  readonly clientTools: readonly ToolSpec[]
  readonly toolChoice: ToolChoice
  /**
   * `inline`: numbers in the text and a list at its end; `numbered`: numbers only, for readers that show the sources
   * themselves; `block`: only in the structured fields.
   */
  readonly sources: 'inline' | 'numbered' | 'block'
  /** Puts Unicode isolates around Hebrew and Latin text in the list of sources. */
  readonly isolates?: boolean
  /** Where the client finds the service; stands before the paths of files that are cited. */
  readonly origin?: string
  /** AppendResult to the model in front of the conversation, in this turn only. */
  readonly instructions?: string
  /** The W3C trace context that the run's spans belong to, on whichever replica; only while traces are sent. */
  readonly traceparent?: string
  /** What the Responses API shows of the request again and nothing else needs. */
  readonly response?: {
    readonly previousId: string | null
    readonly metadata: Readonly<Record<string, string>>
    readonly background: boolean
    readonly parallelToolCalls: boolean
  }
}
