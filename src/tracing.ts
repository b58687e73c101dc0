/** Values a span carries: ids, names and numbers, never text of people. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** An operation that takes time; `otel` sends it when it has ended. */
export type Span = {
  /** The span as the header `traceparent` of W3C Trace Context names it. */
  readonly traceparent: string
  child(name: string, attributes?: SpanAttributes, kind?: SpanKind): Span
  set(attributes: SpanAttributes): void
  /** @param failure why it failed, in words that may be shown to an operator. */
  end(failure?: string): void
}

/** `server`: answers a request; `client`: waits for another server. */
export type SpanKind = 'internal' | 'server' | 'client'

export type Tracer = {
  /** @param parent a `traceparent`; one that is malformed counts as none. */
  start(name: string, kind: SpanKind, parent: string | undefined, attributes: SpanAttributes): Span
  /** Sends what has ended; waits some seconds at most. */
  close(): Promise<void>
}
