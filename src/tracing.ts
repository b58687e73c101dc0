/** Attributes of a span: ids, names and numbers, never text that people wrote. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** An operation with a duration. `otel` sends it after its end. */
export type Span = {
  /** The span as a `traceparent` header of W3C Trace Context. */
  readonly traceparent: string
  child(name: string, attributes?: SpanAttributes, kind?: SpanKind): Span
  set(attributes: SpanAttributes): void
  /** @param failure why it failed, in words for an operator. */
  end(failure?: string): void
}

/** `server`: answers a request; `client`: waits for another server. */
export type SpanKind = 'internal' | 'server' | 'client'

export type Tracer = {
  /**
   * Starts a span.
   * @param parent a `traceparent`. A malformed one is ignored.
   */
  start(name: string, kind: SpanKind, parent: string | undefined, attributes: SpanAttributes): Span
  /** Sends the finished spans. Takes a few seconds at most. */
  close(): Promise<void>
}
