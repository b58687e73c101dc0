/** The model's interface to the loop. Implementations: `openai-provider`, `extractive-provider`. */

export type ToolCall = {
  readonly id: string
  readonly name: string
  /** The JSON text that the model wrote. It may be malformed. */
  readonly arguments: string
}

export type ImagePart = { readonly type: 'image_url'; readonly url: string; readonly detail?: string }

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | ImagePart
  /** An attached file of the project. The model gets its id. */
  | { readonly type: 'file'; readonly fileId: string }

export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ContentPart[] }
  | {
      readonly role: 'assistant'
      readonly content: string
      readonly toolCalls: readonly ToolCall[]
      readonly attached?: Attached
    }
  | {
      readonly role: 'tool'
      readonly callId: string
      readonly content: string
      /** Images of the result. Providers whose API has no place for them there send them in a user message. */
      readonly images?: readonly ImagePart[]
    }

/**
 * What an upstream attached to a reply: reasoning, signatures, its own ids of calls, unknown members. It goes back
 * unchanged to the same upstream with the message, and to no other one. Only the provider that made it reads `json`.
 */
export type Attached = {
  /** Identity of the upstream: its API, address and model. */
  readonly upstream: string
  /** JSON as text, because Postgres refuses some JSON values that an upstream may send. */
  readonly json: string
  /** Our ids of the reply's calls, in the order of the reply. */
  readonly callIds: readonly string[]
}

/** The text that the model gets for a file. A tool reads the file itself. */
export function attachmentText(fileId: string): string {
  return `[The user has attached the file with the id ${fileId}. read_file reads it by this id.]`
}

export type ToolSpec = {
  readonly name: string
  readonly description: string
  /** A JSON Schema object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** Sampling options and format of the request. An absent option leaves the model's default. */
export type Sampling = {
  readonly temperature?: number
  readonly topP?: number
  readonly maxTokens?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly reasoningEffort?: string
  readonly user?: string
  /** Passed on unchanged: `{type: "json_object"}` or `{type: "json_schema", json_schema}`. */
  readonly responseFormat?: Readonly<Record<string, unknown>>
}

export type ModelRequest = {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ToolSpec[]
  readonly toolChoice: ToolChoice
  readonly sampling: Sampling
  /** Extra headers for the model's server, such as `traceparent`. */
  readonly headers?: Readonly<Record<string, string>>
}

export type Usage = {
  readonly promptTokens: number
  readonly completionTokens: number
  /** Part of `promptTokens` that the upstream read from its cache. */
  readonly cachedTokens?: number
  /** Part of `promptTokens` that the upstream wrote to its cache. */
  readonly cacheWriteTokens?: number
  /** Part of `completionTokens` that the model spent on reasoning. */
  readonly reasoningTokens?: number
  /** The upstream's own price of the call, in its currency. Only of upstreams that report it. */
  readonly cost?: number
  /**
   * True if a count is our estimate, because the upstream sent none or an impossible one, or because the call
   * did not finish.
   */
  readonly estimated: boolean
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** Why a server of the model did not answer a call. `paused`: it was not asked, because its last call had failed. */
export type UpstreamFailure = {
  readonly name: string
  readonly reason: 'timeout' | 'rate_limit' | 'server_error' | 'paused'
}

/** Which server of the model a call ended at, and why earlier ones did not answer. */
export type UpstreamReport = { readonly name: string; readonly passed: readonly UpstreamFailure[] }

/** A complete reply. Its text was passed to the listener. */
export type Finish = {
  readonly type: 'finish'
  readonly reason: FinishReason
  /** With the upstream's ids. They are unique within the reply. */
  readonly toolCalls: readonly ToolCall[]
  readonly usage: Usage
  readonly attached?: Omit<Attached, 'callIds'>
  /** The words with which the model refuses to answer. Only if it wrote no text and calls no tool; `onText` did not get them. */
  readonly refusal?: string
  /** Parameters that the upstream refused, so that the call was made without them. Names as clients send them. */
  readonly leftOut?: readonly string[]
  /** Only of models with several servers. */
  readonly upstream?: UpstreamReport
}

/** How a model call ends. `enough`: its listener returned false. */
export type CallEnd =
  | Finish
  | {
      readonly type: 'error'
      readonly kind: ProviderFailure
      readonly message: string
      /** The HTTP status of the server, if it sent one. */
      readonly status?: number
      /** The parameter of the client's request that the server refused, as clients name it. */
      readonly param?: string
      readonly upstream?: UpstreamReport
    }
  | { readonly type: 'enough'; readonly upstream?: UpstreamReport }

/**
 * Called with the text of a reply as it arrives.
 * @returns whether it wants more.
 */
export type TextListener = (text: string) => boolean

/**
 * `context`: the prompt is too long. `format`: the built-in model has no answer in the requested form.
 * `rejected`: the request is invalid. The others are faults of the upstream.
 */
export type ProviderFailure = 'aborted' | 'context' | 'format' | 'rejected' | 'timeout' | 'upstream'

/**
 * A failure message without the words of the model's server, which follow the first colon. They may repeat the
 * prompt, so they do not belong in the log.
 */
export function withoutServerWords(message: string): string {
  return message.split(': ', 1)[0] ?? ''
}

export interface Provider {
  /**
   * Calls the model. `onText` gets the text as it arrives, never after the end, and nothing waits for it, because
   * thousands of replies stream at the same time. It rejects only with an error that `onText` throws. If `signal`
   * is aborted before the end, it resolves to an `error` of kind `aborted`.
   */
  ask(request: ModelRequest, signal: AbortSignal, onText: TextListener): Promise<CallEnd>
}
