import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { estimateTokens } from '../../src/agent/tokens.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { reply, stall } from '../support/upstream-scripts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import type { Completion } from '../support/world/replies.ts'
import { ask, call } from '../support/world/requests.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
/** The upstream of a model that reads images, in the catalogue as `sees`. */
let eyes: ScriptedUpstream
let folder: string

beforeAll(async () => {
  eyes = await startScriptedUpstream()
  folder = await mkdtemp(path.join(tmpdir(), 'chat-service-models-'))
  const catalogueFile = path.join(folder, 'models.json')
  await writeFile(
    catalogueFile,
    JSON.stringify({ models: [{ id: 'sees', base_url: eyes.baseUrl, images: true }] }),
  )
  world = await openWorld({ model: { catalogueFile } })
})
afterAll(async () => {
  await world.close()
  await eyes.close()
  await rm(folder, { recursive: true, force: true })
})

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
    'on_disconnect: cancel',
    async () => {
      const stream = await read(chat, streamed('By leaving', { x_service: { on_disconnect: 'cancel' } }))
      stream.hangUp()
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

test('one delta of a million letters is cut at the bound on text and ends with length', async () => {
  world.upstream.enqueue(reply('x'.repeat(1_000_000)))
  const body = (await (await world.chat(ask('Long'))).json()) as Completion
  expect(body.choices[0]?.finish_reason).toBe('length')
  expect(body.choices[0]?.message.content).toHaveLength(200_000)
})

test('a 5 MB image in a session with history is held and charged as an image', async () => {
  const header = Buffer.from('89504e470d0a1a0a0000000d4948445200000400000003000806000000', 'hex')
  const image = Buffer.concat([header, Buffer.alloc(3_900_000, 7)]).toString('base64')
  const url = `data:image/png;base64,${image}`
  eyes.enqueue(
    reply('Hello.', { usage: null }),
    reply('A picture.', { usage: null }),
    reply('Still.', { usage: null }),
  )
  const say = async (content: unknown, session_id?: string) => {
    const body = { model: 'sees', messages: [{ role: 'user', content }], x_service: { session_id } }
    const response = await world.chat(body)
    expect(response.status).toBe(200)
    return (await response.json()) as Completion
  }
  const { x_service: first } = await say('Hello?')
  const parts = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url } },
  ]
  const shown = await say(parts, first.session_id)
  // 765 for the image of 1,024 by 768 pixels, the rest for instructions and tools.
  expect(shown.usage.prompt_tokens).toBeLessThan(4_000)
  const { held } = await world.row<{ held: string }>(
    'select hold_micros::text as held from runs where id = $1',
    shown.x_service.run_id,
  )
  expect(Number(held)).toBeLessThan(5_000_000)
  await say('And now?', first.session_id)
  for (const index of [1, 2]) {
    const { messages } = (await eyes.request(index)).body
    expect(messages.filter(({ role }) => role === 'user')[0]?.content).toBe('Hello?')
    expect(JSON.stringify(messages)).toContain(image.slice(0, 1_000))
  }
})
