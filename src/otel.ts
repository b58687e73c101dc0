import {
  type Context,
  SpanKind as Kind,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Span, SpanAttributes, SpanKind, Tracer } from './tracing.ts'

export type OtelOptions = {
  /** Base URL of an OTLP/HTTP receiver; spans go to `/v1/traces` below it. */
  readonly endpoint: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly version: string
  /** How long a span is buffered, in milliseconds. */
  readonly delayMs?: number
}

/** Time limit for sending the last spans at shutdown, so that an unreachable receiver cannot delay it. */
const closeMs = 3_000

const kinds: Readonly<Record<SpanKind, Kind>> = {
  internal: Kind.INTERNAL,
  server: Kind.SERVER,
  client: Kind.CLIENT,
}

/**
 * Creates a tracer that sends spans in the background, in batches. Spans that the receiver does not accept are
 * dropped. Loading this module takes about 0.3 s and 30 MB, so import it only if traces are enabled.
 */
export function openTracer({ endpoint, headers, version, delayMs = 2_000 }: OtelOptions): Tracer {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: closeMs,
  })
  const service = { 'service.name': 'meduyak', 'service.version': version }
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(service)),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: delayMs })],
  })
  const tracer = provider.getTracer('meduyak', version)
  return {
    start: (name, kind, parent, attributes) => begin(tracer, name, kind, contextOf(parent), attributes),
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, closeMs).unref())
      await Promise.race([provider.shutdown().catch(() => undefined), late])
    },
  }
}

function begin(
  tracer: OtelTracer,
  name: string,
  kind: SpanKind,
  context: Context,
  attributes: SpanAttributes,
): Span {
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, context)
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    child: (childName, more = {}, childKind = 'internal') =>
      begin(tracer, childName, childKind, trace.setSpan(ROOT_CONTEXT, span), more),
    set: (more) => void span.setAttributes(more),
    end(failure) {
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
      span.end()
    },
  }
}

/** Version 00 of W3C Trace Context. Ids of zeros are invalid. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

function contextOf(parent: string | undefined): Context {
  const [, traceId, spanId, flags] = traceparent.exec(parent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16)
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}
