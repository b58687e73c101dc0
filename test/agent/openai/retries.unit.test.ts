import { describe, expect, it } from 'vitest'
import { cut, error, reply, type Script } from '../../support/scripted-upstream.ts'
import { ask, delta, run, said, start } from './provider-kit.ts'

describe('a call is sent again', () => {
  const failures: readonly (readonly [string, Script])[] = [
    ...[408, 409, 429, 500, 529].map((status) => [`a ${status}`, error(status)] as const),
    ['a cut before the head', [{ destroy: true }]],
    ['a cut after the head', cut()],
    ['a cut after a comment', [{ raw: ': queued\n\n' }, { destroy: true }]],
    ['an end before the first payload', [{ raw: ': queued\n\n' }, { end: true }]],
    ['a web page', [{ status: 502, headers: { 'content-type': 'text/html' } }, { raw: '<html>' }]],
  ]
  it.each(failures)('after %s, twice at most', async (_name, script) => {
    const { upstream, provider } = await start()
    upstream.enqueue(script, script, reply('third'))
    expect(await run(provider)).toMatchObject({ text: 'third', last: { type: 'finish' } })
    upstream.setDefault(script)
    expect((await run(provider)).last).toMatchObject({ type: 'error', kind: 'upstream' })
    expect(upstream.requests).toHaveLength(3 + 3)
  })

  it('when nobody listens, and the failure then names no address', async () => {
    const { upstream, provider } = await start()
    await upstream.close()
    const { last } = await run(provider)
    expect(last).toEqual({
      type: 'error',
      kind: 'upstream',
      message: "The connection to the model's server failed (ECONNREFUSED).",
    })
  })

  it('as often as the provider was told to', async () => {
    const { upstream, provider } = await start({ retries: { max: 4, baseMs: 1 } })
    upstream.setDefault(error(503))
    await run(provider)
    expect(upstream.requests).toHaveLength(5)
  })
})

describe('a call is not sent again', () => {
  it.each([400, 401, 404, 422])('after a %i, which is the request’s fault', async (status) => {
    const { upstream, provider } = await start()
    upstream.enqueue(error(status, 'No good.'))
    expect((await run(provider)).last).toEqual({
      type: 'error',
      kind: 'rejected',
      message: `The model's server refused the request (HTTP ${status}): No good.`,
      status,
    })
    expect(upstream.requests).toHaveLength(1)
  })

  const begun: readonly (readonly [string, Script])[] = [
    ['a cut after the first payload', [{ sse: [delta({ role: 'assistant' })] }, { destroy: true }]],
    ['a cut after text', cut('some')],
    [
      'a cut inside a tool call',
      [{ sse: [delta({ tool_calls: [{ index: 0, function: { name: 'f' } }] })] }, { destroy: true }],
    ],
    ['a cut inside a whole reply', [{ status: 200 }, { raw: '{"choices":[' }, { destroy: true }]],
    ['an early end', [{ text: 'some' }, { end: true }]],
    ['an error in the stream', [{ sse: [{ error: { message: 'overloaded', code: 503 } }] }]],
  ]
  it.each(begun)('after %s', async (_name, script) => {
    const { upstream, provider } = await start()
    upstream.enqueue(script, reply('again'))
    expect((await run(provider)).last).toMatchObject({ type: 'error', kind: 'upstream' })
    expect(upstream.requests).toHaveLength(1)
  })

  it('to the address of a redirect', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue([
      { status: 307, headers: { location: `${upstream.baseUrl}/chat/completions` }, json: {} },
    ])
    upstream.setDefault(reply('followed'))
    expect((await run(provider)).last).toMatchObject({
      kind: 'upstream',
      message: expect.stringContaining('redirect'),
    })
    expect(upstream.requests).toHaveLength(1)
  })
})

describe('before a call is sent again', () => {
  async function waitedMs(headers: Record<string, string>, retries: { baseMs: number; longestMs?: number }) {
    const { upstream, provider } = await start({ retries })
    upstream.enqueue(error(429, 'slow down', headers), reply('ok'))
    const begin = performance.now()
    expect(await said(provider)).toBe('ok')
    return performance.now() - begin
  }

  it('the upstream’s Retry-After is waited for', async () => {
    expect(await waitedMs({ 'retry-after': '0.2' }, { baseMs: 1 })).toBeGreaterThanOrEqual(195)
    expect(
      await waitedMs({ 'retry-after-ms': '200', 'retry-after': '0' }, { baseMs: 1 }),
    ).toBeGreaterThanOrEqual(195)
    // It would wait past the end of the test otherwise, as would the waits without a cap below.
    await waitedMs({ 'retry-after': '0' }, { baseMs: 60_000 })
  })

  it('a Retry-After given as a date is understood', async () => {
    const date = new Date(Date.now() + 2_000).toUTCString()
    expect(await waitedMs({ 'retry-after': date }, { baseMs: 1 })).toBeGreaterThanOrEqual(500)
  })

  it('no wait is longer than its cap', async () => {
    await waitedMs({ 'retry-after': '3600' }, { baseMs: 1, longestMs: 20 })
    await waitedMs({}, { baseMs: 3_600_000, longestMs: 20 })
  })

  it('the wait can be aborted', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue(error(429, 'slow down', { 'retry-after': '8' }))
    const caller = new AbortController()
    const outcome = run(provider, ask, caller.signal)
    await (await upstream.request(0)).ended
    caller.abort()
    expect((await outcome).last).toMatchObject({ kind: 'aborted' })
    expect(upstream.requests).toHaveLength(1)
  })
})
