import type { Sampling, ToolChoice, ToolSpec } from '../../agent/provider.ts'

/** Groups of the agent's own tools. A request can choose among them. */
export const toolGroups = ['library', 'files', 'sheets'] as const
export type ToolGroup = (typeof toolGroups)[number]

/** The kinds of reasoning summaries that the Responses API knows. The service's summary is the same for all. */
export const summaryStyles = ['auto', 'concise', 'detailed'] as const

/**
 * What a client asked for besides its messages. It is stored with the run, so that any replica can continue it.
 */
export type RunRequest = {
  readonly sampling: Sampling
  readonly clientTools: readonly ToolSpec[]
  /** Those of the client's tools that it sent with the type `custom`, by name. Absent: none. */
  readonly customTools?: Readonly<Record<string, CustomTool>>
  readonly toolChoice: ToolChoice
  /**
   * How sources appear. `inline`: numbers in the text and a list at its end. `numbered`: numbers only, for
   * clients that show the sources themselves. `block`: only in the structured fields.
   */
  readonly sources: 'inline' | 'numbered' | 'block'
  /** The groups of the agent's tools that the turn has; absent: all. */
  readonly toolGroups?: readonly ToolGroup[]
  /** `links`: each number in the text is a Markdown link to its source, if the source has a URL. */
  readonly citationStyle?: 'links'
  /** Puts Unicode isolates around Hebrew and Latin text in the list of sources. */
  readonly isolates?: boolean
  /** Base URL under which the client reached the service. It precedes the paths of cited files. */
  readonly origin?: string
  /** The prompt of the service that the turn began with, by the hashes of its texts. Absent in runs of older versions. */
  readonly prompt?: {
    /** Our part. */
    readonly own: string
    /** The host's part. */
    readonly host: string | null
  }
  /** Instructions that precede the conversation for the model, in this turn only. */
  readonly instructions?: string
  /** The W3C trace context of the run's spans, for whichever replica runs it. Set only if traces are sent. */
  readonly traceparent?: string
  /** Request fields that the Responses API returns and nothing else needs. */
  readonly response?: {
    readonly previousId: string | null
    /** The request named the session as a conversation. */
    readonly inConversation?: true
    readonly metadata: Readonly<Record<string, string>>
    readonly background: boolean
    readonly parallelToolCalls: boolean
    /** Sent parameters that change nothing. */
    readonly echoed?: EchoedParameters
    /**
     * `false`: the response cannot be read after its reply, and retention removes its content. `emptied`: it has. Absent:
     * the response is stored.
     */
    readonly store?: false | 'emptied'
    /** The response reports the agent's tool calls as reasoning; absent: it does not. */
    readonly reasoningSummary?: (typeof summaryStyles)[number]
    /** The functions that came in a namespace: their own names, by the names that the model gets. */
    readonly namespaces?: Readonly<Record<string, { readonly namespace: string; readonly name: string }>>
  }
}

/** What a client sent of a tool of type `custom` besides its name, as its API has it. */
export type CustomTool = { readonly description?: string; readonly format?: { readonly type: string } }

/** Parameters of the Responses API that a response shows as they were sent. */
export type EchoedParameters = {
  readonly frequency_penalty?: number
  readonly max_tool_calls?: number
  readonly presence_penalty?: number
  readonly prompt_cache_key?: string
  readonly safety_identifier?: string
  readonly service_tier?: string
  readonly truncation?: 'auto' | 'disabled'
}
