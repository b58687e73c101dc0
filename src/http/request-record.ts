import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../log.ts'
import type { Tracer } from '../tracing.ts'
import type { HttpMetrics } from './metrics.ts'

export type RecordServices = {
  readonly log: Logger
  readonly httpMetrics?: HttpMetrics | undefined
  readonly tracer?: Tracer | undefined
}

/** Load balancers and Prometheus call these constantly, so they are logged only at level `debug`. */
const routine: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * Logs each request in one line when its reply ends or its client disconnects, and records the same in
 * metrics and traces. It contains no URL, header or body, which can hold secrets; ids only if they were
 * found.
 */
export function registerRequestRecord(app: FastifyInstance, services: RecordServices): RecordRequest {
  app.decorateRequest('span', null)
  app.decorateReply('errorCode', '')
  // The search for secrets in a line takes longer than writing it, and these lines contain none by
  // construction.
  const own = { ...services, log: services.log.child({}, { redact: [] }) }
  const record: RecordRequest = (request, reply) => recordRequest(own, request, reply)
  app.addHook('onRequest', (request, reply, done) => {
    record(request, reply)
    done()
  })
  return record
}

/** Records requests that reach no hook: those whose path the router cannot decode. */
export type RecordRequest = (request: FastifyRequest, reply: FastifyReply) => void

function recordRequest(services: RecordServices, request: FastifyRequest, reply: FastifyReply): void {
  const since = performance.now()
  // The pages handle every unknown path, so that people see a page.
  const known = !request.is404 && request.routeOptions.url !== '/*'
  const route = known ? (request.routeOptions.url ?? 'unmatched') : 'unmatched'
  const method = route === 'unmatched' ? 'other' : request.method
  if (services.tracer && !routine.has(route)) request.span = startSpan(services.tracer, request, route)
  // `onResponse` does not fire after a disconnect.
  reply.raw.once('close', () => {
    const seconds = (performance.now() - since) / 1_000
    const status = reply.raw.headersSent ? reply.statusCode : 0
    services.httpMetrics?.finished({ route, method, status, code: reply.errorCode, seconds })
    const line = lineOf(request, reply, { method, route, status, seconds })
    if (routine.has(route)) services.log.debug(line, 'request')
    else services.log.info(line, 'request')
    endSpan(request, status, line.runId)
  })
}

type Outcome = {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

function lineOf(request: FastifyRequest, reply: FastifyReply, { method, route, status, seconds }: Outcome) {
  const { principal } = request
  return {
    requestId: request.id,
    method,
    route,
    // 0 when the client disconnected before the reply.
    status,
    durationMs: Math.round(seconds * 1e6) / 1e3,
    ...(reply.errorCode !== '' && { code: reply.errorCode }),
    ...(!reply.raw.writableFinished && { left: true }),
    ...(principal && { accountId: principal.accountId }),
    ...(principal?.keyId && { keyId: principal.keyId }),
    runId: runIdOf(request, reply),
  }
}

/** Id of the run of this reply: the run that the request started, or the run in its path. */
function runIdOf(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const started = reply.getHeader('x-service-run-id')
  if (typeof started === 'string') return started
  const { id } = (request.resource ?? {}) as { readonly id?: unknown }
  return typeof id === 'string' && id.startsWith('run_') ? id : undefined
}

function startSpan(tracer: Tracer, request: FastifyRequest, route: string) {
  const { traceparent } = request.headers
  const parent = typeof traceparent === 'string' ? traceparent : undefined
  return tracer.start(`${request.method} ${route}`, 'server', parent, {
    'http.request.method': request.method,
    'http.route': route,
    'request.id': request.id,
  })
}

function endSpan({ span }: FastifyRequest, status: number, runId: string | undefined): void {
  if (!span) return
  span.set({ 'http.response.status_code': status, ...(runId !== undefined && { 'run.id': runId }) })
  span.end(status >= 500 ? `HTTP ${status}` : undefined)
}
