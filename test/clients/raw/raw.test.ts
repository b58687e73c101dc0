import { describe, expect, test } from 'vitest'
import { readStream } from '../../support/sse-rules.ts'
import type { TroubleName } from '../support/adapter.ts'
import { weatherTool } from '../support/adapter.ts'
import { useClientWorld } from '../support/conformance.ts'
import { hebrew, questions } from '../support/questions.ts'
import { situations } from '../support/troubles.ts'
import type { Place } from '../support/world.ts'
import { readers } from './readers.ts'

const world = useClientWorld()

const send = (place: Place, method: string, path: string, body?: object, headers: object = {}) =>
  fetch(place.baseUrl + path, {
    method,
    headers: {
      ...place.headers,
      authorization: `Bearer ${place.key}`,
      'content-type': 'application/json',
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })

const chat = (place: Place, question: string, more: object = {}, headers: object = {}) =>
  send(
    place,
    'POST',
    '/chat/completions',
    { model: place.model, messages: [{ role: 'user', content: question }], ...more },
    headers,
  )

const tools = [{ type: 'function', function: weatherTool }]
/** Streams with every kind of end, each with and without usage. */
const streams = [questions.plain, questions.cited, questions.json, questions.weather].flatMap((question) =>
  [true, false].map((includeUsage) => ({ question, includeUsage, kind: question.split(':')[0] })),
)

describe.concurrent('streams', () => {
  test.for(streams)('$kind, usage $includeUsage: every rule is kept', async ({ question, includeUsage }) => {
    const place = await world().place()
    const options = includeUsage ? { stream_options: { include_usage: true } } : {}
    const response = await chat(
      place,
      question,
      { stream: true, tools, ...options },
      { accept: 'application/json' },
    )
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    for (const name of ['x-request-id', 'x-service-session-id', 'x-service-run-id', 'x-service-message-id']) {
      expect(response.headers.get(name), name).toMatch(/^[a-z]+_/)
    }
    const body = await response.text()
    const read = readStream(body, { includeUsage })
    expect(read.problems).toEqual([])
    const texts = Object.entries(readers).map(([name, reader]) => [name, reader(body)])
    expect(texts).toEqual(Object.keys(readers).map((name) => [name, read.text]))
  })

  test('a failure is a pure error frame that no client repeats, and that all of them raise', async () => {
    const body = await (await chat(await world().place(), questions.broken, { stream: true })).text()
    const { problems, error } = readStream(body)
    expect(problems).toEqual([])
    expect(error).toMatchObject({ code: 'upstream_failed', type: 'invalid_request_error' })
    for (const reader of Object.values(readers)) expect(() => reader(body)).toThrow(error?.message)
  })
})

test('a whole reply has all members of the official shape, and its ids in headers', async () => {
  const response = await chat(await world().place(), questions.plain, { stream: false })
  const body = (await response.json()) as Record<string, unknown>
  expect(body).toEqual({
    id: expect.stringMatching(/^chatcmpl-/),
    object: 'chat.completion',
    created: expect.any(Number),
    model: 'service',
    system_fingerprint: expect.stringMatching(/^fp_/),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: hebrew, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: expect.objectContaining({ total_tokens: 15 }),
    x_service: expect.objectContaining({ session_id: response.headers.get('x-service-session-id') }),
  })
})

describe.concurrent('errors', () => {
  test.for(Object.keys(situations) as TroubleName[])('%s: shape, type, headers', async (name) => {
    const { status, code, question = questions.plain, place } = situations[name]
    const response = await chat(await place(world()), question)
    const { error } = (await response.json()) as { error: Record<string, unknown> }
    expect(response.status).toBe(status)
    expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'param', 'type'])
    expect(error).toMatchObject({ code, message: expect.any(String) })
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    // LiteLLM classifies errors by words in their text.
    const said = JSON.stringify(error)
    if (status !== 429) expect(said).not.toMatch(/rate[ _-]?limit/i)
    if (![400, 401].includes(status) && code !== 'model_not_found') {
      expect(said).not.toContain('invalid_request_error')
    }
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    expect(seconds > 0 && seconds <= 60).toBe(status === 429 || status === 503)
    const neverAgain = [409, 502].includes(status)
    expect(response.headers.get('x-should-retry')).toBe(neverAgain ? 'false' : null)
  })
})

test('GET and DELETE may say that they bring JSON and bring nothing', async () => {
  const place = await world().place()
  expect((await send(place, 'GET', '/models')).status).toBe(200)
  expect((await send(place, 'DELETE', '/files/file_nothing')).status).toBe(404)
})

test('no model has a name by which a client takes it for another API', async () => {
  const response = await send(await world().place(), 'GET', '/models')
  const { data } = (await response.json()) as { data: { id: string }[] }
  for (const { id } of data) expect(id).not.toMatch(/\/|codex|^gpt-|^o\d/)
})
