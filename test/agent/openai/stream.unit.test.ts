import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../../../src/agent/provider.ts'
import { estimateTokens } from '../../../src/agent/tokens.ts'
import { promptTokens } from '../../../src/agent/usage.ts'
import { callTools, gate, reply } from '../../support/scripted-upstream.ts'
import { ask, cutAt, delta, eventStream, run, runPayloads, runPieces, start } from './provider-kit.ts'

const encoder = new TextEncoder()
const USAGE = { prompt_tokens: 11, completion_tokens: 22, total_tokens: 33 }
const HEBREW = 'הבינוני – לא עבר 𝄞 עבירה מימיו'

const turn = [
  delta({ role: 'assistant', content: '' }),
  delta({ content: HEBREW.slice(0, 9) }),
  delta({ content: HEBREW.slice(9) }),
  delta({
    tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'search', arguments: '' } }],
  }),
  delta({ tool_calls: [{ index: 0, function: { arguments: '{"query":"בינ' } }] }),
  delta({
    tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'read', arguments: '{"n"' } }],
  }),
  delta({ tool_calls: [{ index: 0, function: { arguments: 'וני"}' } }] }),
  delta({ tool_calls: [{ index: 1, function: { arguments: ':1}' } }] }),
  delta({}, 'tool_calls'),
  { object: 'chat.completion.chunk', choices: [], usage: USAGE },
  '[DONE]',
]

const turnOutcome = {
  text: HEBREW,
  last: {
    type: 'finish',
    reason: 'tool_calls',
    toolCalls: [
      { id: 'a', name: 'search', arguments: '{"query":"בינוני"}' },
      { id: 'b', name: 'read', arguments: '{"n":1}' },
    ],
    usage: { promptTokens: 11, completionTokens: 22, estimated: false },
  },
}

describe('the same reply comes out', () => {
  it.each(['\n', '\r\n', '\r'])('wherever the network cuts its bytes, with line ends %j', async (newline) => {
    const bytes = encoder.encode(`: hello${newline}${newline}${eventStream(turn, newline)}`)
    const places = fc.array(fc.nat(bytes.length), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(places, async (cuts) => {
        expect(await runPieces(cutAt(bytes, cuts))).toMatchObject(turnOutcome)
      }),
      { numRuns: 150 },
    )
  })

  it('byte by byte', async () => {
    const bytes = encoder.encode(eventStream(turn))
    expect(await runPieces(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toMatchObject(turnOutcome)
  })

  it('with a byte-order mark, comments, other fields, named and data-less events between', async () => {
    const noise = ': ping\n\nevent: ping\n\ndata:\n\ndata: \n\nid: 4\nretry: 10\n\nevent: message\n'
    const text = turn.map((payload) => noise + eventStream([payload])).join('')
    expect(await runPieces([encoder.encode(`\ufeff${text}`)])).toMatchObject(turnOutcome)
  })

  it('without [DONE], and without the blank line after the last event', async () => {
    const text = eventStream(turn.slice(0, -1))
    expect(await runPieces([encoder.encode(text)])).toMatchObject(turnOutcome)
    expect(await runPieces([encoder.encode(text.trimEnd())])).toMatchObject(turnOutcome)
  })

  it('when the upstream answers with one JSON object, in any pieces, led by blank lines', async () => {
    const message = {
      role: 'assistant',
      content: HEBREW,
      tool_calls: turnOutcome.last.toolCalls.map(({ id, name, arguments: text }) => ({
        id,
        type: 'function',
        function: { name, arguments: text },
      })),
    }
    const whole = {
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      usage: USAGE,
    }
    const bytes = encoder.encode(`\n\n${JSON.stringify(whole)}\n`)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 10 }), async (cuts) => {
        expect(await runPieces(cutAt(bytes, cuts))).toMatchObject(turnOutcome)
      }),
      { numRuns: 50 },
    )
    const { upstream, provider } = await start()
    upstream.enqueue([{ status: 200, json: whole }])
    expect(await run(provider)).toMatchObject(turnOutcome)
  })

  it('whatever follows [DONE]', async () => {
    const after = [delta({ content: 'more' }), '{', '[DONE]']
    expect(await runPieces([encoder.encode(eventStream([...turn, ...after]))])).toMatchObject(turnOutcome)
  })

  it('when the stream ends by repeating the whole message', async () => {
    const end = {
      choices: [{ index: 0, message: { role: 'assistant', content: 'word' }, finish_reason: 'stop' }],
    }
    expect((await runPayloads([delta({ content: 'word' }), end, '[DONE]'])).text).toBe('word')
  })
})

describe('text', () => {
  it('comes as one chunk for each network read, however many deltas it brought', async () => {
    const first = encoder.encode(eventStream(Array.from('first', (letter) => delta({ content: letter }))))
    const second = encoder.encode(
      eventStream([...Array.from('second', (l) => delta({ content: l })), delta({}, 'stop')]),
    )
    expect((await runPieces([first, second])).texts).toEqual(['first', 'second'])
  })

  it('reaches the consumer before the upstream has finished', async () => {
    const { upstream, provider } = await start()
    const { opened, open } = gate()
    upstream.enqueue([{ text: 'early' }, { waitFor: opened }, { text: ' late' }])
    expect((await run(provider, ask, undefined, open)).texts).toEqual(['early', ' late'])
  })

  it('holds content, refusals and text parts, never reasoning', async () => {
    const outcome = await runPayloads([
      delta({ reasoning_content: 'secretly', content: null }),
      delta({ reasoning: 'thinking' }),
      delta({
        content: [
          { type: 'thinking', thinking: [] },
          { type: 'text', text: 'a' },
        ],
      }),
      delta({ content: 'b', refusal: null }),
      delta({ content: null, refusal: 'c' }),
      delta({}, 'stop'),
    ])
    expect(outcome.text).toBe('abc')
  })
})

describe('a second choice', () => {
  it('is not read', async () => {
    const second = { choices: [{ index: 1, delta: { content: 'other' }, finish_reason: 'length' }] }
    const outcome = await runPayloads([delta({ content: 'one' }), second, delta({}, 'stop'), second])
    expect(outcome).toMatchObject({ text: 'one', last: { reason: 'stop' } })
  })
})

describe('the finish reason', () => {
  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['tool_calls', 'stop'],
    ['eos', 'stop'],
    ['max_tokens', 'length'],
  ])('%s of a reply without tool calls is reported as %s', async (given, expected) => {
    expect((await runPayloads([delta({ content: 'x' }), delta({}, given)])).last).toMatchObject({
      reason: expected,
    })
  })
})

describe('a reply without a finish reason', () => {
  it('is one when it has said something and [DONE]', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 22 }
    const { text, last } = await runPayloads([
      delta({ content: 'All of it.' }),
      { choices: [], usage },
      '[DONE]',
    ])
    expect(text).toBe('All of it.')
    expect(last).toMatchObject({ type: 'finish', reason: 'stop', usage: { estimated: false } })
    const call = { index: 0, function: { name: 'f', arguments: '{}' } }
    const called = await runPayloads([delta({ tool_calls: [call] }), '[DONE]'])
    expect(called.last).toMatchObject({ reason: 'tool_calls', toolCalls: [{ name: 'f' }] })
  })

  it.each([
    ['has said nothing', [delta({ role: 'assistant', content: '' }), '[DONE]']],
    ['breaks off before [DONE]', [delta({ content: 'All' })]],
  ])('is a failure when it %s', async (_, payloads) => {
    const message = expect.stringContaining('ended early')
    expect((await runPayloads(payloads)).last).toMatchObject({ type: 'error', message })
  })
})

describe('usage', () => {
  const finish = delta({}, 'stop')
  it.each([
    ['on the finish chunk', [delta({}, 'stop', { usage: USAGE }), '[DONE]']],
    ['on a last chunk without choices', [finish, { choices: [], usage: USAGE }, '[DONE]']],
    [
      'on every chunk, the last one counting',
      [delta({}, null, { usage: { ...USAGE, completion_tokens: 1 } }), delta({}, 'stop', { usage: USAGE })],
    ],
    [
      'with null on the other chunks',
      [delta({}, null, { usage: null }), finish, { choices: [], usage: USAGE }, { choices: [], usage: null }],
    ],
  ])('is taken %s', async (_name, payloads) => {
    const usage = { promptTokens: 11, completionTokens: 22, estimated: false }
    expect((await runPayloads(payloads)).last).toMatchObject({ usage })
  })

  it('of zero is estimated where there is something to count', async () => {
    const zero = { prompt_tokens: 0, completion_tokens: 0 }
    const saying = (payload: object) => runPayloads([payload, delta({}, 'stop', { usage: zero })])
    const completionOf = async (payload: object) => (await saying(payload)).last
    expect(await completionOf(delta({ content: 'x'.repeat(40) }))).toMatchObject({
      usage: { promptTokens: promptTokens(ask), completionTokens: 10, estimated: true },
    })
    const call = { index: 0, function: { name: 'f', arguments: '{"x":1}' } }
    expect(await completionOf(delta({ tool_calls: [call] }))).toMatchObject({
      usage: { completionTokens: 2 },
    })
    expect(await completionOf(delta({ content: '' }))).toMatchObject({ usage: { completionTokens: 0 } })
  })

  it.each([
    [9e15, 9e15],
    [Number.MAX_SAFE_INTEGER, 7],
    [11, 256_001],
    [5_000, 7],
  ])('of %d and %d tokens, which cannot be, is estimated', async (prompt, completion) => {
    const usage = { prompt_tokens: prompt, completion_tokens: completion }
    const { last } = await runPayloads([delta({ content: 'four' }), delta({}, 'stop', { usage })])
    expect(last).toMatchObject({
      usage: {
        promptTokens: prompt === 11 ? 11 : promptTokens(ask),
        completionTokens: completion === 7 ? 7 : 1,
        estimated: true,
      },
    })
  })

  it('that hides a long thought is believed', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 90_000 }
    const { last } = await runPayloads([delta({ content: 'four' }), delta({}, 'stop', { usage })])
    expect(last).toMatchObject({ usage: { completionTokens: 90_000, estimated: false } })
  })

  it('that cannot be is reported once', async () => {
    const faults: string[] = []
    const { upstream, provider } = await start({ onFalseUsage: (fault) => faults.push(fault) })
    const usage = { prompt_tokens: 9e15, completion_tokens: 1 }
    upstream.enqueue(reply('one', { usage }), reply('two', { usage }))
    await run(provider)
    await run(provider)
    expect(faults).toEqual([expect.stringContaining('9000000000000000 prompt tokens')])
  })

  it('is estimated from prompt and reply when the upstream sends none', async () => {
    const { upstream, provider } = await start()
    const request: ModelRequest = { ...ask, tools: [{ name: 'f', description: 'd', parameters: {} }] }
    const { last } = await (async () => {
      upstream.enqueue(callTools([{ name: 'f', arguments: '{"x":1}' }], { text: HEBREW, usage: null }))
      return run(provider, request)
    })()
    const completionTokens = estimateTokens(`${HEBREW}f{"x":1}`)
    const usage = { promptTokens: promptTokens(request), completionTokens, estimated: true }
    expect(last).toMatchObject({ usage })
  })

  it('is marked as estimated when half of it is missing or absurd', async () => {
    const usage = { prompt_tokens: 4, completion_tokens: -1 }
    const { last } = await runPayloads([delta({ content: 'four' }), delta({}, 'stop', { usage })])
    expect(last).toMatchObject({ usage: { promptTokens: 4, completionTokens: 1, estimated: true } })
  })
})
