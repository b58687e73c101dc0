import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../../../src/agent/provider.ts'
import { estimateTokens } from '../../../src/agent/tokens.ts'
import { promptTokens } from '../../../src/agent/usage.ts'
import { callTools, reply } from '../../support/scripted-upstream.ts'
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
  it('wherever the network cuts its bytes, with any line ends', async () => {
    const places = fc.array(fc.nat(), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('\n', '\r\n', '\r'), places, async (newline, cuts) => {
        const bytes = encoder.encode(`: hello${newline}${newline}${eventStream(turn, newline)}`)
        expect(await runPieces(cutAt(bytes, cuts))).toMatchObject(turnOutcome)
      }),
      { numRuns: 200 },
    )
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
  it('is a failure when it has said nothing', async () => {
    const message = expect.stringContaining('ended early')
    const { last } = await runPayloads([delta({ role: 'assistant', content: '' }), '[DONE]'])
    expect(last).toMatchObject({ type: 'error', message })
  })
})

describe('usage', () => {
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
    upstream.enqueue(callTools([{ name: 'f', arguments: '{"x":1}' }], { text: HEBREW, usage: null }))
    const { last } = await run(provider, request)
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
