import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../../../src/agent/provider.ts'
import { isShort } from '../../support/full.ts'
import { runningMs } from '../../support/running-clock.ts'
import { gate } from '../../support/scripted-upstream.ts'
import {
  ask,
  cutAt,
  delta,
  eventStream,
  type Outcome,
  providerOf,
  run,
  runPieces,
  start,
} from './provider-kit.ts'
import { type WireForm, wireForms } from './wire-forms.ts'

const encoder = new TextEncoder()
const tool = (name: string) => ({ name, description: 'd', parameters: {} })
const request: ModelRequest = { ...ask, tools: [tool('search'), tool('search_sources'), tool('read_file')] }

function bodyOf(body: WireForm['bodies'][number]): Uint8Array {
  return encoder.encode(typeof body === 'string' ? body : eventStream(body))
}

function hasOutcome({ text, last }: Outcome, form: WireForm): void {
  if (form.fails !== undefined) {
    expect(last).toMatchObject({
      type: 'error',
      kind: 'upstream',
      message: expect.stringContaining(form.fails),
    })
    return
  }
  const { calls = [], reason = calls.length > 0 ? 'tool_calls' : 'stop' } = form
  expect({ text, last }).toMatchObject({ text: form.text ?? '', last: { type: 'finish', reason } })
  if (last.type !== 'finish') return
  expect(last.toolCalls.map((call) => `${call.name} ${call.arguments}`)).toEqual(calls)
  expect(last.toolCalls.every(({ id }) => id !== '')).toBe(true)
  if (form.usage) expect(last.usage).toMatchObject(form.usage)
  if (form.attached === null) expect(last.attached).toBeUndefined()
  else if (form.attached) expect(JSON.parse(last.attached?.json ?? '')).toEqual(form.attached)
}

describe.each(Object.entries(wireForms))('%s', (_, form) => {
  const bodies = form.bodies.map(bodyOf)

  it('has its outcome over a socket, whatever the content type says', async () => {
    const wholes = (form.whole ?? []).map((whole) => encoder.encode(JSON.stringify(whole)))
    for (const raw of [...bodies, ...wholes]) {
      const { upstream, provider } = await start()
      const types = ['text/event-stream', 'application/json', 'text/plain; charset=utf-8']
      const type = types[raw.length % types.length] ?? ''
      upstream.enqueue([{ status: 200, headers: { 'content-type': type } }, { raw }])
      hasOutcome(await run(provider, request), form)
      expect(upstream.requests).toHaveLength(1)
    }
  })

  it.skipIf(form.needsOneRead)('has the same outcome wherever the network cuts it', async () => {
    const play = (pieces: readonly Uint8Array[]) => runPieces(pieces, undefined, undefined, request)
    for (const bytes of bodies) {
      hasOutcome(await play(Array.from(bytes, (byte) => Uint8Array.of(byte))), form)
      for (let at = 1; at < bytes.length; at += isShort ? 17 : 1)
        hasOutcome(await play(cutAt(bytes, [at])), form)
    }
  })
})

describe('reasoning that only a closing tag ends', () => {
  const reply = (...parts: readonly string[]) =>
    [...parts.map((content) => delta({ content })), delta({}, 'stop'), '[DONE]'].map((payload) => ({
      raw: eventStream([payload]),
    }))

  it('is not shown from the second reply on, also when its text comes before the tag', async () => {
    const parts = reply('thoughts', '\n</think>\n\nAnswer ', 'one.')
    const provider = providerOf(parts.map(({ raw }) => encoder.encode(raw)))
    // The first reply's thoughts were passed on before the tag came. Only the tag is left out.
    expect((await run(provider)).text).toBe('thoughts\n\n\nAnswer one.')
    expect((await run(provider)).texts).toEqual(['Answer ', 'one.'])
  })

  it('is dropped when such a reply reaches its token limit', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue(reply('a</think>b'))
    await run(provider, request)
    upstream.enqueue([{ sse: [delta({ content: 'thoughts' }), delta({}, 'length'), '[DONE]'] }])
    expect(await run(provider, request)).toMatchObject({
      text: '',
      last: { type: 'finish', reason: 'length' },
    })
  })

  it('is no longer expected after a reply without a closing tag, which is shown at its end', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue(reply('a</think>b'))
    await run(provider, request)
    upstream.enqueue(reply('one', ' two'))
    expect((await run(provider, request)).text).toBe('one two')
    const { opened, open } = gate()
    upstream.enqueue([{ text: 'three' }, { waitFor: opened }, { text: ' four' }])
    expect((await run(provider, request, undefined, open)).texts).toEqual(['three', ' four'])
  })
})

describe('text outside reasoning', () => {
  it('is passed on as it arrives, except a possible tag at its end', async () => {
    const pieces = ['1 ', '< 2 and [S', '1] </thin', 'g>', '`</think', '>`']
    const outcome = await runPieces(
      [...pieces.map((content) => delta({ content })), delta({}, 'stop')].map((payload) =>
        encoder.encode(eventStream([payload])),
      ),
    )
    expect(outcome.texts).toEqual(['1 ', '< 2 and [S', '1] ', '</thing>', '`</think', '>`'])
  })

  it('is read in linear time, also when it is made to be slow', async () => {
    const slow = [' ', '<', '<t', '`', '[THIN', '"\\"', '<think>', '</thin', '{', '}'].map((piece) =>
      piece.repeat(200),
    )
    for (const piece of slow) {
      const tool_calls = [{ index: 0, id: 'a', function: { name: 'f', arguments: piece } }]
      const payloads = Array.from({ length: 200 }, () => delta({ content: piece, tool_calls }))
      const before = runningMs()
      await runPieces([encoder.encode(eventStream([...payloads, delta({}, 'stop')]))])
      expect(runningMs() - before).toBeLessThan(2_000)
    }
  })
})

it('an error event of one word is an error and no keep-alive', async () => {
  const { last } = await runPieces([encoder.encode('event: error\ndata: overloaded\n\n')])
  expect(last).toMatchObject({ type: 'error', message: expect.stringContaining('overloaded') })
})

describe('usage', () => {
  const reported = async (usage: object) => {
    const stream = eventStream([delta({ content: 'four' }), delta({}, 'stop', { usage })])
    const { last } = await runPieces([encoder.encode(stream)])
    return last.type === 'finish' ? last.usage : null
  }
  const counts = { prompt_tokens: 100, completion_tokens: 20 }
  const read = { promptTokens: 100, completionTokens: 20, estimated: false }

  it.each([
    [{ prompt_tokens_details: { cached_tokens: 64 } }, { cachedTokens: 64 }],
    [{ prompt_tokens_details: { cached_tokens: 0 } }, { cachedTokens: 0 }],
    [{ prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }, { cachedTokens: 64 }],
    [
      { cache_read_input_tokens: 64, cache_creation_input_tokens: 30 },
      { cachedTokens: 64, cacheWriteTokens: 30 },
    ],
    [{ completion_tokens_details: { reasoning_tokens: 12 } }, { reasoningTokens: 12 }],
    [{ cost: 0.00125 }, { cost: 0.00125 }],
    [{ cost: '0.5', cost_details: {} }, { cost: 0.5 }],
  ])('%j is kept as %j', async (sent, kept) => {
    expect(await reported({ ...counts, ...sent })).toEqual({ ...read, ...kept })
  })

  it.each([
    { cached_tokens: 101 },
    { cached_tokens: 1.5 },
    { cached_tokens: -1 },
    { completion_tokens_details: { reasoning_tokens: 21 } },
    { completion_tokens_details: null },
    { cost: -1 },
    { cost: 'free' },
  ])('%j, which cannot be, is dropped', async (sent) => {
    expect(await reported({ ...counts, ...sent })).toEqual(read)
  })
})

describe('what a server attached', () => {
  it('names the upstream and leaves no member out that the prototype of objects has', async () => {
    const odd = '{"choices":[{"index":0,"delta":{"__proto__":{"a":1},"constructor":"b","content":"c"}}]}'
    const { upstream, provider } = await start()
    upstream.enqueue([{ sse: [odd, delta({}, 'stop'), '[DONE]'] }])
    const { last } = await run(provider)
    expect(last).toMatchObject({
      attached: {
        upstream: `openai ${upstream.baseUrl}/chat/completions test-model`,
        json: '{"message":{"__proto__":{"a":1},"constructor":"b"}}',
      },
    })
  })

  it('counts toward the limit of a reply', async () => {
    const payloads = Array.from({ length: 3 }, () => delta({ reasoning: 'x'.repeat(1024 * 1024) }))
    const { last } = await runPieces(payloads.map((payload) => encoder.encode(eventStream([payload]))))
    expect(last).toMatchObject({ type: 'error', message: expect.stringContaining('longer than') })
  })

  it('has the id of each call, but no id twice', async () => {
    const calls = ['a', 'a', ''].map((id, index) => ({
      index,
      id,
      function: { name: `f${index}`, arguments: '{}' },
    }))
    const stream = eventStream([delta({ tool_calls: calls }), delta({}, 'tool_calls')])
    const { last } = await runPieces([encoder.encode(stream)])
    expect(last).toMatchObject({ attached: { json: '{"calls":[{"id":"a"},{},{}]}' } })
  })
})

it('the documentation lists every form', async () => {
  const page = path.join(import.meta.dirname, '../../../docs/model-wire-forms.md')
  const rows = (await readFile(page, 'utf8')).matchAll(/^- \*\*(.+?)\*\*: /gm)
  expect(Array.from(rows, ([, form]) => form)).toEqual(Object.keys(wireForms))
})
