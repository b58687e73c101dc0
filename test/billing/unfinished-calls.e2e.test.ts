import { expect, test } from 'vitest'
import { estimateTokens } from '../../src/agent/tokens.ts'
import { reply, stall } from '../support/upstream-scripts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import type { Completion } from '../support/world/replies.ts'
import { ask, call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld()

const text = 'All that there is to say about it, and nothing more than that. '.repeat(25)

type Stream = { readonly live: LiveStream; readonly runId: string; readonly hangUp: () => void }

async function read(route: string, body: object): Promise<Stream> {
  world.upstream.enqueue(stall(text))
  const hangUp = new AbortController()
  const response = await fetch(`${world.service.url}${route}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: hangUp.signal,
  })
  const live = new LiveStream(response)
  await live.until('nothing more than that')
  const runId = String(response.headers.get('x-service-run-id'))
  return { live, runId, hangUp: () => hangUp.abort() }
}

const post = (route: string) => call(world.service, world.key, 'POST', route)
const chat = '/v1/chat/completions'
const streamed = (question: string, more: object = {}) => ask(question, { stream: true, ...more })

const cancels: readonly (readonly [by: string, cancel: () => Promise<Stream>])[] = [
  [
    'the cancel route',
    async () => {
      const stream = await read(chat, streamed('By the route'))
      await post(`/v1/agent/runs/${stream.runId}/cancel`)
      return stream
    },
  ],
  [
    'the cancel route of responses',
    async () => {
      const body = { model: 'service', input: 'As a response', stream: true }
      const stream = await read('/v1/responses', body)
      await post(`/v1/responses/${stream.runId.replace('run_', 'resp_')}/cancel`)
      return stream
    },
  ],
]

test.each(cancels)(
  'a client that reads the text and cancels by %s pays for it, as estimated',
  async (_, cancel) => {
    const { runId } = await cancel()
    const { end, type } = await world.end(runId)
    expect(type).toBe('run.cancelled')
    const { cost_micros, ...usage } = end.usage
    expect(usage).toMatchObject({ estimated: true, model_calls: 1 })
    expect(usage.completion_tokens).toBeGreaterThanOrEqual(estimateTokens(end.text))
    expect(end.text.length).toBeGreaterThan(1_500)
    const ledger = await world.row<{ charge: string; estimated: boolean }>(
      `select (-(allowance_micros + granted_micros))::text as charge, (facts->>'estimated')::boolean as estimated
       from ledger where run_id = $1`,
      runId,
    )
    expect(ledger).toEqual({ charge: cost_micros, estimated: true })
    expect(BigInt(cost_micros)).toBe(
      BigInt(usage.prompt_tokens) * 100n + BigInt(usage.completion_tokens) * 400n,
    )
    const run = await world.get<{ usage: object }>(`/v1/agent/runs/${runId}`)
    expect(run.usage).toMatchObject({ estimated: true, cost: Number(cost_micros) / 1e6 })
  },
)

test.each([
  [9e15, 9e15],
  [1e12, 5],
])(
  'a model that reports %d and %d tokens completes its turn with estimated usage',
  async (prompt_tokens, completion_tokens) => {
    const usage = { prompt_tokens, completion_tokens }
    world.upstream.enqueue(reply('An answer.', { usage }))
    const body = (await (await world.chat(ask(`Counted wrong: ${prompt_tokens}`))).json()) as Completion
    expect(body.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'An answer.' } })
    expect(body.usage.prompt_tokens).toBeLessThan(5_000)
    expect(body.x_service.usage).toMatchObject({ estimated: true })
    const { epoch } = await world.row<{ epoch: number }>(
      'select epoch from runs where id = $1',
      body.x_service.run_id,
    )
    expect(epoch).toBe(1)
  },
)
