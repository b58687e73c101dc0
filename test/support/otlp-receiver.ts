import { createServer } from 'node:http'
import { close, listenAt } from './loopback.ts'

/** A span in OTLP's JSON format, with its attributes as an object. */
export type ReceivedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly startMs: number
  readonly endMs: number
  readonly failed: boolean
}

export type OtlpReceiver = {
  /** What `OTEL_EXPORTER_OTLP_ENDPOINT` names. */
  readonly endpoint: string
  readonly spans: readonly ReceivedSpan[]
  /** Everything received, headers included, as text. */
  readonly raw: () => string
  close(): Promise<void>
}

type Value = {
  readonly stringValue?: string
  readonly intValue?: string | number
  readonly boolValue?: boolean
}
type WireSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Value }[]
  readonly status: { readonly code?: number }
}
type Body = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[]
  }[]
}

const plainValue = ({ stringValue, intValue, boolValue }: Value) =>
  intValue === undefined ? (stringValue ?? boolValue) : Number(intValue)

const readSpan = (span: WireSpan): ReceivedSpan => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId || undefined,
  name: span.name,
  attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, plainValue(value)])),
  startMs: Number(span.startTimeUnixNano) / 1e6,
  endMs: Number(span.endTimeUnixNano) / 1e6,
  failed: span.status.code === 2,
})

/** Starts a server on 127.0.0.1 that receives traces as OTLP over HTTP with JSON, and keeps them. */
export async function startOtlpReceiver(options: { readonly status?: number } = {}): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  let raw = ''
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const text = Buffer.concat(parts).toString('utf8')
    raw += `${request.url} ${JSON.stringify(request.headers)} ${text}\n`
    if (request.url === '/v1/traces') {
      const body = JSON.parse(text) as Body
      for (const resource of body.resourceSpans)
        for (const scope of resource.scopeSpans) spans.push(...scope.spans.map(readSpan))
    }
    response.writeHead(options.status ?? 200, { 'content-type': 'application/json' }).end('{}')
  })
  return {
    endpoint: await listenAt(server),
    spans,
    raw: () => raw,
    close: () => close(server),
  }
}
