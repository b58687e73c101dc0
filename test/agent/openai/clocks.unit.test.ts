import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { error, reply, type Script, stall } from '../../support/scripted-upstream.ts'
import { ask, delta, eventStream, run, runPieces, said, start } from './provider-kit.ts'

const never = new Promise<void>(() => {})

function repeated(times: number, ...items: Script): Script {
  return Array.from({ length: times }, () => items).flat()
}

describe('a timer ends a call that', () => {
  it.each([
    ['gets no head', [{ waitFor: never }], 'first-byte'],
    ['gets a head and nothing else', [{ status: 200 }, { waitFor: never }], 'first-byte'],
    ['gets no payload after a comment', [{ raw: ': hello\n\n' }, { waitFor: never }], 'idle'],
    ['stalls after text', stall('some'), 'idle'],
    ['stalls inside a line', [{ raw: 'data: {"choices"' }, { waitFor: never }], 'idle'],
    ['stalls inside a whole reply', [{ raw: '{"choices":[' }, { waitFor: never }], 'idle'],
    ['never ends', repeated(400, { text: 'x' }, { waitMs: 10 }), 'total'],
  ])('%s, is named, and closes the connection', async (_name, script, timer) => {
    const timers = { firstByteMs: 300, idleMs: 300, totalMs: timer === 'total' ? 800 : 60_000 }
    const { upstream, provider } = await start({ timers })
    upstream.enqueue(script)
    const { last } = await run(provider)
    expect(last).toMatchObject({ kind: 'timeout', message: expect.stringContaining(`the ${timer} timer`) })
    expect(await upstream.requests[0]?.ended).toBe('cut')
    expect(upstream.requests).toHaveLength(1)
  })

  it.each([
    ['comments', ': keep-alive\n\n'],
    ['blank lines', '\n\n'],
    ['events without data', 'event: ping\ndata:\n\n'],
  ])('gets nothing but %s, however many', async (_name, raw) => {
    const { upstream, provider } = await start({ timers: { idleMs: 200 } })
    upstream.enqueue([{ text: 'some' }, ...repeated(100, { raw }, { waitMs: 20 }), { text: 'too late' }])
    const outcome = await run(provider)
    expect(outcome).toMatchObject({ text: 'some', last: { kind: 'timeout' } })
    expect(outcome.last).toMatchObject({ message: expect.stringContaining('idle') })
  })

  it('waits between retries for longer than the whole call may take', async () => {
    const { upstream, provider } = await start({ timers: { totalMs: 100 } })
    upstream.setDefault(error(503, 'busy', { 'retry-after': '8' }))
    expect((await run(provider)).last).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('total'),
    })
  })
})

describe('no timer ends a call', () => {
  it('while payload of any kind comes', async () => {
    const { upstream, provider } = await start({ timers: { firstByteMs: 400, idleMs: 400 } })
    const thinking = { sse: [delta({ reasoning_content: 'hm' })] }
    upstream.enqueue([...repeated(12, thinking, { waitMs: 60 }), { text: 'done' }])
    expect(await said(provider)).toBe('done')
  })

  it('while it waits to be sent again', async () => {
    const { upstream, provider } = await start({ timers: { firstByteMs: 400, idleMs: 400 } })
    upstream.enqueue(error(503, 'busy', { 'retry-after': '0.8' }), reply('done'))
    expect(await said(provider)).toBe('done')
  })

  it('while the parts of a whole reply come', async () => {
    const { upstream, provider } = await start({ timers: { firstByteMs: 400, idleMs: 400 } })
    const part = { raw: ' "choices": [],' }
    const end = { raw: `"choices": [{"message": {"content": "done"}}]}` }
    upstream.enqueue([{ raw: '{' }, ...repeated(12, part, { waitMs: 60 }), end])
    expect(await said(provider)).toBe('done')
  })

  it('that has its finish reason: the reply counts although the connection lingers or breaks', async () => {
    const { upstream, provider } = await start({ timers: { idleMs: 100 } })
    const whole = { sse: [delta({ content: 'all' }), delta({}, 'stop')] }
    upstream.enqueue(
      [whole, { waitFor: never }],
      [whole, { destroy: true }],
      [whole, { sse: ['[DONE]'] }, { waitFor: never }],
    )
    for (let calls = 0; calls < 3; calls += 1) {
      expect(await run(provider)).toMatchObject({ text: 'all', last: { type: 'finish', reason: 'stop' } })
    }
    expect(upstream.requests).toHaveLength(3)
  })
})

describe('an abort', () => {
  it('before the call opens no connection', async () => {
    const { upstream, provider } = await start()
    expect((await run(provider, ask, AbortSignal.abort())).last).toMatchObject({ kind: 'aborted' })
    await new Promise(setImmediate)
    expect(upstream.requests).toHaveLength(0)
    expect(await upstream.connections()).toBe(0)
  })

  it.each([
    ['before the head', [{ waitFor: never }]],
    ['before the first payload', [{ status: 200 }, { waitFor: never }]],
    ['inside an error body', [{ status: 500, headers: { 'content-length': '9' } }, { waitFor: never }]],
  ])('%s ends the call at once and closes the connection', async (_name, script) => {
    const { upstream, provider } = await start()
    upstream.enqueue(script)
    const caller = new AbortController()
    const outcome = run(provider, ask, caller.signal)
    const request = await upstream.request(0)
    caller.abort()
    expect((await outcome).last).toMatchObject({ kind: 'aborted' })
    expect(await request.ended).toBe('cut')
    expect(upstream.requests).toHaveLength(1)
  })

  it('comes before what has arrived and was not heard yet', async () => {
    const caller = new AbortController()
    const pieces = ['first', 'second'].map((text) =>
      new TextEncoder().encode(eventStream([delta({ content: text })])),
    )
    const { texts, last } = await runPieces(pieces, caller.signal, (piece) => {
      if (piece === 1) caller.abort()
    })
    expect(texts).toEqual(['first'])
    expect(last).toMatchObject({ type: 'error', kind: 'aborted' })
  })
})

describe('an abort at the end of a call', () => {
  it('wins over a reply that was complete by then', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue(reply('all of it'))
    const caller = new AbortController()
    const { texts, last } = await run(provider, ask, caller.signal, () => caller.abort())
    expect(texts).toEqual(['all of it'])
    expect(last).toMatchObject({ type: 'error', kind: 'aborted' })
  })

  it('wins while the connection of a complete reply is still open', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue([{ text: 'all' }, { sse: [delta({}, 'stop'), '[DONE]'] }, { waitFor: never }])
    const caller = new AbortController()
    const { last } = await run(provider, ask, caller.signal, () => setTimeout(() => caller.abort(), 20))
    expect(last).toMatchObject({ type: 'error', kind: 'aborted' })
  })

  it('is not listened for, nor any timer kept, once the call is over', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const caller = new AbortController()
    const before = timers()
    const pieces = [new TextEncoder().encode(eventStream([delta({ content: 'x' }, 'stop'), '[DONE]']))]
    expect((await runPieces(pieces, caller.signal)).last.type).toBe('finish')
    // Ours would stay for minutes; those of others come and go.
    await expect.poll(timers).toBeLessThanOrEqual(before)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
  })
})

describe('the connection', () => {
  it('is closed when the listener has heard enough', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue(stall('some'))
    const end = await provider.ask(ask, new AbortController().signal, () => false)
    expect(end).toEqual({ type: 'enough' })
    expect(await upstream.requests[0]?.ended).toBe('cut')
  })

  it('is closed when the listener throws, and its fault comes out', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue(stall('some'))
    const deaf = () => {
      throw new Error('deaf')
    }
    await expect(provider.ask(ask, new AbortController().signal, deaf)).rejects.toThrow('deaf')
    expect(await upstream.requests[0]?.ended).toBe('cut')
    expect(upstream.requests).toHaveLength(1)
  })

  it('is not waited for after [DONE]', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue([{ sse: [delta({ content: 'all' }, 'stop'), '[DONE]'] }, { waitFor: never }])
    // The server never ends its reply: a provider that waited for it would run into the limit of the test.
    expect(await said(provider)).toBe('all')
    expect(await upstream.requests[0]?.ended).toBe('cut')
  })

  it('is closed with the provider, which ends its calls as aborted', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue(stall('some'))
    const outcome = run(provider)
    const request = await upstream.request(0)
    await provider.close()
    expect((await outcome).last).toMatchObject({ kind: 'aborted' })
    expect(await request.ended).toBe('cut')
    expect((await run(provider)).last).toMatchObject({ kind: 'aborted' })
    expect(upstream.requests).toHaveLength(1)
  })

  it('is limited in number: further calls wait for a free one', async () => {
    const { upstream, provider } = await start({ connections: 2 })
    upstream.setDefault(reply('ok', { chunks: 3, delayMs: 5 }))
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => run(provider)))
    expect(outcomes.map(({ text }) => text)).toEqual(Array.from({ length: 12 }, () => 'ok'))
    expect(new Set(upstream.requests.map(({ connection }) => connection)).size).toBeLessThanOrEqual(2)
  })
})
