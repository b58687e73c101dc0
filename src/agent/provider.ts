/** The model as the loop sees it. Implementations: `openai-provider`, `extractive-provider`. */

export type ToolCall = {
  readonly id: string
  readonly name: string
  /** The JSON text as the model wrote it; it may be malformed. */
  readonly arguments: string
}

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly url: string; readonly detail?: string }
  /** A file of the project that the message brings along; the model gets its id. */
  | { readonly type: 'file'; readonly fileId: string }

export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ContentPart[] }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string }

/** What the model gets in place of a file; a tool reads the file itself. */
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

/** Sampling and format as the client asked; absent means the model's default. */
export type Sampling = {
  readonly temperature?: number
  readonly topP?: number
  readonly maxTokens?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly reasoningEffort?: string
  readonly user?: string
  /** Passed on as it came: `{type: "json_object"}` or `{type: "json_schema", json_schema}`. */
  readonly responseFormat?: Readonly<Record<string, unknown>>
}

export type ModelRequest = {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ToolSpec[]
  readonly toolChoice: ToolChoice
  readonly sampling: Sampling
  /** Sent along to the model's server, such as `traceparent`. */
  readonly headers?: Readonly<Record<string, string>>
}

export type Usage = {
  readonly promptTokens: number
  readonly completionTokens: number
  /** True when a figure is our estimate: the upstream sent none, or one that cannot be, or the call did not end. */
  readonly estimated: boolean
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** A reply that is complete; its text has been heard. */
export type Finish = {
  readonly type: 'finish'
  readonly reason: FinishReason
  readonly toolCalls: readonly ToolCall[]
  readonly usage: Usage
}

/** How a model call ends; with `enough` when its listener has said so. */
export type CallEnd =
  | Finish
  | { readonly type: 'error'; readonly kind: ProviderFailure; readonly message: string }
  | { readonly type: 'enough' }

/** Called with the text of a reply as it comes. @returns whether it wants to hear more. */
export type TextListener = (text: string) => boolean

/**
 * `context`: the prompt is too long; `format`: the built-in model has no answer in the form that was asked for;
 * `rejected`: the request is at fault; the others are the upstream's.
 */
export type ProviderFailure = 'aborted' | 'context' | 'format' | 'rejected' | 'timeout' | 'upstream'

export interface Provider {
  /**
   * Asks the model. `hear` is called with each word as it comes, never again once the call has ended, and nothing waits for it:
   * thousands of replies are heard at a time. It rejects with what `hear` throws and nothing else; a signal that is aborted
   * before it has heard all ends it with `error` of kind `aborted`.
   */
  ask(request: ModelRequest, signal: AbortSignal, hear: TextListener): Promise<CallEnd>
}
