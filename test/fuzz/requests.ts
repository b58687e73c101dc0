import fc from 'fast-check'
import { Agent, request as send } from 'undici'
import { errorTable } from '../../src/errors.ts'
import type { TestService } from '../support/world/service.ts'
import { type GeneratedRequest, type Operation, operationsOf } from './operations.ts'

export type RequestsPlan = {
  readonly service: TestService
  /** Keys that send the requests, in rotation. */
  readonly keys: readonly [string, ...string[]]
  /** Ids of resources, both of these accounts and of others. */
  readonly ids: readonly string[]
  readonly requests: number
  readonly seed: number
  readonly only?: string | undefined
  readonly progress?: (sent: number) => void
}

export type RequestsOutcome = {
  readonly sent: number
  /** Number of 503 replies after which a retry succeeded. */
  readonly busy: number
  readonly byStatus: ReadonlyMap<number, number>
  readonly slowestMs: number
  /** The operation with the slowest reply. */
  readonly slowest: string
  readonly findings: readonly string[]
}

/** Number of concurrent requests. */
const lanes = 6
/** Maximum time of a reply; no generated request needs longer. */
const answerMs = 30_000

type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/**
 * Sends generated requests to all operations of the service's own OpenAPI document, evenly, and checks each
 * reply.
 */
export async function fuzzRequests(plan: RequestsPlan): Promise<RequestsOutcome> {
  const { service, keys, ids, requests, seed, only = '' } = plan
  const agent = new Agent({ connections: lanes * 2 })
  const document = JSON.parse(
    (
      await ask(agent, service.url, undefined, {
        method: 'GET',
        path: '/openapi.json',
        headers: {},
        body: undefined,
      })
    ).text,
  )
  const operations = operationsOf(document, ids).filter(({ name }) => name.includes(only))
  const waiting = [...operations]
  const byStatus = new Map<number, number>()
  const findings: string[] = []
  let [sent, busy, slowestMs, slowest] = [0, 0, 0, '']

  async function check(operation: Operation, request: GeneratedRequest): Promise<void> {
    const began = performance.now()
    sent += 1
    if (sent % 5_000 === 0) plan.progress?.(sent)
    // Some requests have no key: the service must refuse them before it reports broken input.
    const key = sent % 25 === 0 ? undefined : keys[sent % keys.length]
    const answer = await askPatiently(key, request)
    const tookMs = performance.now() - began
    if (tookMs > slowestMs) [slowestMs, slowest] = [tookMs, operation.name]
    byStatus.set(answer.status, (byStatus.get(answer.status) ?? 0) + 1)
    const fault = faultOf(operation, document, answer)
    if (fault) throw new Error(`${fault}: ${answer.status} ${answer.text.slice(0, 400)}`)
  }

  /** Retries a 503, a documented reply when a busy machine is short of connections; a real fault remains. */
  async function askPatiently(key: string | undefined, request: GeneratedRequest): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask(agent, service.url, key, request)
      if (answer.status !== 503 || attempt === 3) return answer
      busy += 1
    }
  }

  async function lane(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const operation = next
      const property = fc.asyncProperty(operation.requests, (request) => check(operation, request))
      const numRuns = Math.ceil(requests / operations.length)
      const result = await fc.check(property, { numRuns, seed })
      if (result.failed)
        findings.push(
          `${operation.name}: ${String(result.errorInstance)}\n${fc.stringify(result.counterexample?.[0])}`,
        )
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  await agent.close()
  return { sent, busy, byStatus, slowestMs, slowest, findings }
}

async function ask(
  agent: Agent,
  url: string,
  key: string | undefined,
  { method, path, headers, body }: GeneratedRequest,
): Promise<Answer> {
  const reply = await send(url + path, {
    dispatcher: agent,
    method: method as 'GET',
    headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    body: body ?? null,
    signal: AbortSignal.timeout(answerMs),
  })
  return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() }
}

/** Describes a wrong reply: a 500, or a status or body that the document does not have. */
function faultOf(
  { responses }: Operation,
  document: object,
  { status, headers, text }: Answer,
): string | undefined {
  if (status >= 500) return 'a fault of the service'
  const listed = responses[status]
  if (listed === undefined) return 'a status that is not described'
  if (typeof headers['x-request-id'] !== 'string') return 'no request id'
  if (status < 400) return undefined
  const name = listed.$ref?.split('/').at(-1) ?? ''
  const described =
    (document as { components: { responses: Operation['responses'] } }).components.responses[name] ?? listed
  const { error, ...more } = JSON.parse(text)
  const { message, type, param, code, ...others } = error
  const told = errorTable[code as keyof typeof errorTable]
  if (Object.keys(more).length > 0 || Object.keys(others).length > 0) return 'more than the documented shape'
  if (typeof message !== 'string' || message === '' || (param !== null && typeof param !== 'string'))
    return 'not the documented shape'
  if (told?.status !== status || told.type !== type) return 'code, type and status do not go together'
  return described['x-codes']?.includes(code) ? undefined : 'a code that is not described'
}
