import { describe, expect, it } from 'vitest'
import { createOpenAiProvider } from '../../../src/agent/openai/provider.ts'
import { expectLinear } from '../../support/growth.ts'
import { error, reply, type Script } from '../../support/scripted-upstream.ts'
import { API_KEY, delta, eventStream, run, runPayloads, runPieces, said, start } from './provider-kit.ts'

const LIMIT = 300

describe('a prompt that does not fit', () => {
  it.each([
    [400, { error: { message: 'Too long.', code: 'context_length_exceeded' } }],
    [
      400,
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ],
    [400, 'Your input exceeds the context window of this model.'],
    [400, 'the request exceeds the available context size, try increasing it'],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum'],
    [400, 'The input token count (40000) exceeds the maximum number of tokens allowed (32768).'],
    [400, "This model's maximum prompt length is 131072 but the request contains 200000 tokens."],
    [400, 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097.'],
    [400, 'Please reduce the length of the messages or completion.'],
    [422, { detail: 'Input length 9000 exceeds the maximum context length' }],
    [413, 'Input is too long for requested model.'],
    [500, { error: 'the input length exceeds the context length' }],
  ])('is told apart from other refusals: %i %j', async (status, body) => {
    const { upstream, provider } = await start()
    upstream.enqueue(error(status, body))
    expect((await run(provider)).last).toMatchObject({ type: 'error', kind: 'context' })
    expect(upstream.requests).toHaveLength(1)
  })

  it('is recognised when only the stream says it', async () => {
    const message = "This model's maximum context length is 10 tokens."
    expect((await runPayloads([{ error: { message, code: 400 } }])).last).toMatchObject({ kind: 'context' })
  })
})

describe('what is not a reply ends as a failure of the upstream’s', () => {
  const text = delta({ content: 'some' })
  it.each([
    ['an error object', [text, { error: { message: 'it burns' } }], 'it burns'],
    ['an error string', [text, { error: 'it burns' }], 'it burns'],
    ['an error beside choices', [text, delta({}, 'error', { error: { message: 'it burns' } })], 'it burns'],
    ['an error without an envelope', [text, { object: 'error', message: 'it burns', code: 500 }], 'it burns'],
    ['a finish reason of error', [text, delta({}, 'error')], '"error"'],
    ['a finish reason of abort', [text, delta({}, 'abort')], '"abort"'],
    ['a line that is not JSON', [text, '{"choices": [}', delta({}, 'stop')], 'not a chat completion'],
    ['a JSON scalar', [text, '42', delta({}, 'stop')], 'not a chat completion'],
    [
      'a tool call without a name',
      [text, delta({ tool_calls: [{ index: 0, id: 'a' }] }, 'stop')],
      'without a name',
    ],
  ])('%s, and the text before it still comes', async (_name, payloads, words) => {
    const outcome = await runPayloads(payloads)
    expect(outcome).toMatchObject({
      text: 'some',
      last: { kind: 'upstream', message: expect.stringContaining(words) },
    })
  })

  it('an end inside a payload, and the text before it still comes', async () => {
    const bytes = new TextEncoder().encode(`${eventStream([text])}data: {"choices":[{"index":0,"del`)
    const message = expect.stringContaining('ended early')
    expect(await runPieces([bytes])).toMatchObject({ text: 'some', last: { kind: 'upstream', message } })
  })

  it.each([
    ['a web page', 'text/html', '<html><body>Welcome</body></html>'],
    ['half a JSON reply', 'application/json', '{"choices":[{"message":'],
    ['a JSON reply of something else', 'application/json', '{"ok":true}'],
    ['nothing', 'application/json', ''],
  ])('%s', async (_name, type, raw) => {
    const { upstream, provider } = await start({ retries: { max: 0 } })
    upstream.enqueue([{ status: 200, headers: { 'content-type': type } }, { raw }])
    expect((await run(provider)).last).toMatchObject({ type: 'error', kind: 'upstream' })
  })

  it('a compressed reply', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue([
      { status: 200, headers: { 'content-encoding': 'gzip' } },
      { waitFor: new Promise(() => {}) },
    ])
    expect((await run(provider)).last).toMatchObject({
      kind: 'upstream',
      message: expect.stringContaining('compressed'),
    })
    expect(await upstream.requests[0]?.ended).toBe('cut')
  })
})

describe('an error whose body has no end', () => {
  it('is read only to a bound', async () => {
    const { upstream, provider } = await start()
    const parts = Array.from({ length: 8 }, () => ({ raw: 'x'.repeat(32 * 1024) }))
    upstream.enqueue([{ status: 400 }, ...parts, { waitFor: new Promise(() => {}) }])
    expect((await run(provider)).last).toMatchObject({ kind: 'rejected' })
    expect(await upstream.requests[0]?.ended).toBe('cut')
  })

  it('is read only for seconds, and the call is sent again', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue([{ status: 503 }, { raw: 'busy' }, { waitFor: new Promise(() => {}) }], reply('again'))
    expect(await said(provider)).toBe('again')
    expect(await upstream.requests[0]?.ended).toBe('cut')
  })
})

describe('a reply without bounds is cut off', () => {
  const MIB = 1024 * 1024
  const endless = (prefix: string, part: string): Script => [
    { raw: prefix },
    ...Array.from({ length: 40 }, () => ({ raw: part })),
    { waitFor: new Promise(() => {}) },
  ]
  it.each([
    ['one endless line', endless('data: ', 'x'.repeat(MIB / 8)), 'line'],
    [
      'one endless event of short lines',
      endless('', 'data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n'.repeat(4_000)),
      'line',
    ],
    [
      'one long event in one piece',
      [{ sse: [delta({ content: 'x'.repeat(4 * MIB) })] }, { waitFor: new Promise(() => {}) }],
      'line',
    ],
    ['endless text', endless('', eventStream([delta({ content: 'x'.repeat(MIB / 8) })])), 'longer'],
    [
      'endless tool-call arguments',
      endless(
        '',
        eventStream([
          delta({ tool_calls: [{ index: 0, function: { name: 'f', arguments: 'x'.repeat(MIB / 32) } }] }),
        ]),
      ),
      'too long',
    ],
    [
      'an endless tool name',
      endless(
        '',
        eventStream(
          Array.from({ length: 99 }, (_, n) =>
            delta({ tool_calls: [{ index: 0, function: { name: `n${n}` } }] }),
          ),
        ),
      ),
      'too long',
    ],
    [
      'endless tool calls',
      endless(
        '',
        eventStream(
          Array.from({ length: 10 }, (_, n) => delta({ tool_calls: [{ function: { name: `f${n}` } }] })),
        ),
      ),
      'too many',
    ],
  ])('%s', async (_name, script: Script, words) => {
    const { upstream, provider } = await start()
    upstream.enqueue(script)
    expect((await run(provider)).last).toMatchObject({
      kind: 'upstream',
      message: expect.stringContaining(words),
    })
    expect(await upstream.requests[0]?.ended).toBe('cut')
    expect(upstream.requests).toHaveLength(1)
  })
})

describe('a failure’s message', () => {
  it.each([
    ['whole', `Incorrect API key provided: ${API_KEY}.`],
    ['in a header', `Bad header "Authorization: Bearer ${API_KEY}"`],
    ['cut short', `Key ${API_KEY.slice(0, 18)} is unknown`],
    ['masked', `Incorrect API key provided: ${API_KEY.slice(0, 7)}*****${API_KEY.slice(-4)}.`],
    ['where the message is cut', `${'x'.repeat(LIMIT - 70)} ${API_KEY}${API_KEY}`],
    ['behind blanks where the text is cut', `${' '.repeat(4_096 - 20)}${API_KEY}`],
  ])('never holds the key that the upstream echoes %s', async (_name, text) => {
    const { upstream, provider } = await start({ retries: { max: 0 } })
    const scripts = [error(401, text), error(500, text), [{ sse: [{ error: { message: text } }] }]]
    upstream.enqueue(...scripts, [{ status: 401 }, { raw: text }])
    for (let calls = 0; calls <= scripts.length; calls += 1) {
      const { last } = await run(provider)
      const message = last.type === 'error' ? last.message : ''
      expect(message).toMatch(/HTTP|reported/)
      expect(message).not.toContain(API_KEY.slice(0, 8))
      expect(message).not.toContain(API_KEY.slice(8, 14))
    }
  })

  it.each(['sk-proj-abcdefgh12', 'Bearer abcdefgh', 'AIzaabcdefghijkl', 'abc***xyz'])(
    'hides %s, which looks like a secret of somebody else’s',
    async (secret) => {
      const { last } = await runPayloads([{ error: { message: `With ${secret} it burns` } }])
      expect(last).toMatchObject({ message: expect.stringContaining('With [hidden] it burns') })
    },
  )

  it.each([
    [{ detail: [{ loc: ['body', 'x'], msg: 'Not permitted' }, { msg: 'No' }] }, 'body.x: Not permitted; No'],
    [[{ error: { message: 'it burns' } }], 'it burns'],
    [{ error: [{ error: { message: 'it burns' } }] }, '"it burns"'],
  ])('has the words of %j', async (body, words) => {
    const { upstream, provider } = await start()
    upstream.enqueue(error(400, body))
    expect((await run(provider)).last).toMatchObject({ message: expect.stringContaining(words) })
  })

  it('leaves out a web page', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue([
      { status: 404, headers: { 'content-type': 'text/html' } },
      { raw: '\n<html>404</html>' },
    ])
    const { last } = await run(provider)
    expect(last).toMatchObject({ message: "The model's server refused the request (HTTP 404)." })
  })

  it('holds no part of a key at which the text was cut', async () => {
    const apiKey = 'k3y.0123456'
    const { upstream, provider } = await start({ apiKey })
    for (let room = 0; room < 100; room += 1) {
      upstream.enqueue(error(401, `${' '.repeat(4_096 - room)}${apiKey}`))
      const { last } = await run(provider)
      expect(last.type === 'error' && last.message).not.toMatch(/k3/)
    }
  })

  it('hides a key as short as a word without eating other words', async () => {
    const { upstream } = await start()
    const provider = createOpenAiProvider({ baseUrl: upstream.baseUrl, model: 'm', apiKey: 'no' })
    upstream.enqueue(error(401, 'Key no is not known.'))
    const { last } = await run(provider)
    expect(last).toMatchObject({ message: expect.stringContaining('Key [hidden] is not known.') })
    await provider.close()
  })

  it('is one line of at most 300 characters, whatever the upstream sends', async () => {
    const { upstream, provider } = await start({ retries: { max: 0 } })
    const lengthy = `line\r\n\t\u2028\u0000${'שלום 𝄞 '.repeat(4_000)}`
    upstream.enqueue(error(400, lengthy), error(503, lengthy), [{ sse: [{ error: lengthy }] }])
    for (let calls = 0; calls < 3; calls += 1) {
      const { last } = await run(provider)
      const message = last.type === 'error' ? last.message : ''
      expect(Array.from(message).length).toBe(LIMIT)
      expect(message).toContain('line שלום')
      expect(message.isWellFormed()).toBe(true)
    }
  })

  it('is examined in linear time, also when it is made to be slow', async () => {
    const { upstream, provider } = await start({ retries: { max: 0 } })
    for (const part of ['input token count ', 'a'])
      await expectLinear(
        (size) => part.repeat(size),
        (text) => {
          upstream.enqueue([{ sse: [{ error: text }] }])
          return run(provider)
        },
        200_000,
      )
  })
})
