import { expect } from 'vitest'
import { readStream } from '../support/sse-rules.ts'
import type { Replica } from '../support/world/processes.ts'
import type { ProcessWorld } from '../support/world/world.ts'
import type { Exchange, UpstreamServer } from './server.ts'

/** A model of the running service, and the server behind it. */
export type Row = {
  readonly world: ProcessWorld
  readonly at: Replica
  readonly model: string
  readonly server: UpstreamServer
  /** The row's turn whose owner was killed in its second step: the id of its question, and its idempotency key. */
  readonly takeover: () => Promise<{ readonly id: string; readonly body: object; readonly key: string }>
}

type Body = Readonly<Record<string, unknown>>
type Answer = {
  readonly id: string
  readonly runId: string
  readonly sessionId: string
  readonly text: string
  readonly finish: string | undefined
  readonly calls: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly usage: Body
  /** The whole reply, as text. */
  readonly raw: string
}

let questions = 0
/** The name of a question that no other has. */
export function nextQuestion(): string {
  questions += 1
  return `q${questions}`
}

export const asking = (model: string, id: string, plan: string, more: Body = {}): Body => ({
  model,
  messages: [{ role: 'user', content: `What is bittul? ${id} PLAN=${plan}` }],
  ...more,
})

/** Why the server refused, and the end of the conversation that it got, for the message of an assertion. */
export const refusals = (row: Row, id: string): string =>
  row.server
    .exchanges(id)
    .filter(({ refusal }) => refusal !== undefined)
    .slice(0, 2)
    .map(({ refusal, body: { messages, contents, input } }) => {
      const spoken = (messages ?? contents ?? input).filter(({ role }: { role: string }) => role !== 'system')
      const conversation = JSON.stringify(spoken)
      return `${JSON.stringify(refusal?.body)} to ${conversation.slice(-1_500)}`
    })
    .join('\n')

export async function answerTo(row: Row, id: string, response: Response, streams: boolean): Promise<Answer> {
  const raw = await response.text()
  expect(response.status, `${raw}\n${refusals(row, id)}`).toBe(200)
  const said = streams ? fromStream(raw) : fromWhole(JSON.parse(raw))
  return { ...said, id, raw, runId: String(response.headers.get('x-service-run-id')) }
}

function fromStream(raw: string) {
  const seen = readStream(raw, { includeUsage: true })
  expect(seen.problems).toEqual([])
  expect(seen.error).toBeUndefined()
  return {
    text: seen.text,
    finish: seen.finish?.choices[0]?.finish_reason ?? undefined,
    calls: seen.chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []),
    usage: seen.usage ?? {},
    sessionId: String(seen.finish?.x_service?.session_id),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a reply of the service, whose form other tests check
function fromWhole(reply: any) {
  const [{ message, finish_reason: finish }] = reply.choices
  return {
    text: message.content ?? '',
    finish,
    calls: message.tool_calls ?? [],
    usage: reply.usage,
    sessionId: reply.x_service.session_id,
  }
}

export async function ask(row: Row, plan: string, more: Body = {}): Promise<Answer> {
  const id = nextQuestion()
  const streams = more['stream'] === true
  const body = asking(row.model, id, plan, {
    ...more,
    ...(streams && { stream_options: { include_usage: true } }),
  })
  return answerTo(row, id, await row.world.chat(body, { at: row.at }), streams)
}

export const replied = (exchanges: readonly Exchange[]) =>
  exchanges.filter(({ issued }) => issued !== undefined)

/** In each request of a turn stands what the server attached to each earlier step of it, unchanged. */
export function expectReturned(row: Row, id: string): void {
  const exchanges = replied(row.server.exchanges(id))
  for (const { step = 0, returned } of exchanges) {
    const earlier = Array.from({ length: step }, (_, at) => exchanges.find((one) => one.step === at)?.issued)
    expect(step === 0 ? [] : returned.slice(-step)).toMatchObject(earlier)
  }
}

/** The run ended so, was charged once, and what it cost follows from the counts of the server. */
export async function expectRun(
  row: Row,
  { runId, usage, id }: Answer,
  steps: readonly number[],
  status = 'completed',
) {
  expect(await row.world.row(runEnd, runId)).toEqual({ status, charges: 1, isCost: true, estimated: false })
  const counted = replied(row.server.exchanges(id)).filter(({ step = 0 }) => steps.includes(step))
  const sum = (member: 'prompt' | 'completion') =>
    counted.reduce((total, { tokens }) => total + (tokens?.[member] ?? 0), 0)
  expect(usage).toMatchObject({ prompt_tokens: sum('prompt'), completion_tokens: sum('completion') })
}

export const runEnd = `select r.status,
    (select count(*)::int from ledger t where t.run_id = r.id and t.kind = 'charge') as charges,
    r.cost_micros = (select sum(-t.allowance_micros - t.granted_micros) from ledger t where t.run_id = r.id and t.kind = 'charge')
      as "isCost",
    coalesce((r.reply #>> '{end,usage,estimated}')::boolean, false) as estimated
  from runs r where r.id = $1`

export async function whole(row: Row, plan: string, text: string, more: Body = {}): Promise<Answer> {
  const answer = await ask(row, plan, more)
  expect(answer).toMatchObject({ text, finish: 'stop' })
  expectReturned(row, answer.id)
  const steps = plan.split(',').map((_, at) => at)
  // Every step is asked for once, apart from what the server had refused.
  expect(replied(row.server.exchanges(answer.id)).map(({ step }) => step)).toEqual(steps)
  await expectRun(row, answer, steps)
  return answer
}
