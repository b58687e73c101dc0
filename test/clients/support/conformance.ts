import { describe, expect, test, vi } from 'vitest'
import { fixture } from '../../support/fixture.ts'
import { startSwitchedProxy } from '../../support/switched-proxy.ts'
import type { Adapter, Part, Seen, TroubleName } from './adapter.ts'
import { rowOf, rows } from './docs.ts'
import { citedAnswer, hebrew, questions, weatherOf } from './questions.ts'
import { situations } from './troubles.ts'
import { type ClientWorld, type OwnPlace, openClientWorld } from './world.ts'

/** One world for a test file, closed with the invariants of money and runs checked. */
export function useClientWorld(): () => ClientWorld {
  const world = fixture(openClientWorld, async (open) => expect(await open.close()).toEqual([]))
  return () => world
}

const waiting = { timeout: 30_000, interval: 50 }
const situationNames = Object.keys(situations) as TroubleName[]

/** The conformance tests of every client. Each question has its own account, so all run at once. */
export function describeClients(open: () => ClientWorld, ...clients: readonly Adapter[]): void {
  describe.concurrent('a client', () => {
    for (const client of clients) describe(client.name, () => testClient(open, client))
  })
  // Runs alone, because a body of several megabytes keeps the process busy.
  test.each(clients)('$name, too large: class, code and number of requests', (client) =>
    meet(open(), client, 'too large'),
  )
}

function testClient(open: () => ClientWorld, client: Adapter): void {
  test('the table of the docs says what these tests have found', () => {
    expect(rows).toContain(rowOf(client))
  })

  test('whole: Hebrew comes and goes as it is', async () => {
    const place = await open().place()
    expect((await client.whole(place, questions.plain)).text).toBe(hebrew)
    expect(open().told(questions.plain).at(-1)?.content).toEqual(questions.plain)
  })

  test('streamed: a piece of the text is there before the model has said the rest', async () => {
    const place = await open().place()
    const held = open().held()
    const pieces: string[] = []
    const { text } = await client.stream(place, held.question, (piece) => {
      pieces.push(piece)
      held.release()
    })
    expect([text, pieces.join('')]).toEqual([hebrew + hebrew, hebrew + hebrew])
  })

  test('a session that is named in a header goes on', async () => {
    const place = await open().place()
    await client.whole(place, questions.plain)
    const [first] = await place.runs()
    const headers = { 'x-service-session-id': first?.session_id ?? '' }
    const again = `Again, for ${client.name}?`
    await client.stream({ ...place, headers }, again, () => undefined)
    expect((await place.runs()).map(({ session_id }) => session_id)).toEqual([
      first?.session_id,
      first?.session_id,
    ])
    expect(open().told(again)).toMatchObject([
      { role: 'user', content: questions.plain },
      { role: 'assistant', content: hebrew },
      { role: 'user', content: again },
    ])
  })

  test('the loop of the client answers a call of its function, in one session', async () => {
    const place = await open().place()
    const cities: string[] = []
    const text = await client.callTool(place, questions.weather, (city) => {
      cities.push(city)
      return weatherOf(city)
    })
    expect(cities).toEqual(['חיפה'])
    expect(text).toContain(`${weatherOf('חיפה')}`)
    const runs = await place.runs()
    expect(runs.map(({ status, charges }) => [status, charges])).toEqual([
      ['completed', 1],
      ['completed', 1],
    ])
    expect(new Set(runs.map(({ session_id }) => session_id)).size).toBe(1)
  })

  test('whole: it shows what it is known to show of sources, files, citations and cost', async () => {
    const place = await open().place()
    const seen = await client.whole(place, questions.cited)
    await expectShown(place, seen, client.shows.whole)
    expect(seen.text).toContain(citedAnswer.text)
  })

  test('streamed: it shows what it is known to show of them', async () => {
    const place = await open().place()
    const seen = await client.stream(place, questions.cited, () => undefined)
    await expectShown(place, seen, client.shows.streamed)
    expect(seen.text).toContain(citedAnswer.text)
  })

  test.for(situationNames.filter((name) => name !== 'too large'))(
    '%s: class, code and number of requests',
    (name) => meet(open(), client, name),
  )

  test('a failure after a charged step is told once, and charged once', async () => {
    const place = await open().place()
    const told = await client.whole(place, questions.broken).then(
      ({ text }) => text,
      (error: unknown) => client.failureOf(error).kind,
    )
    expect(told).toMatch(client.brokenWhole ?? /^Wait\.\s+\[.+\]$/s)
    expect(place.posts()).toBe(1)
    expect((await place.runs()).map(({ status, charges }) => [status, charges])).toEqual([['failed', 1]])
  })

  test('a failure in a stream is an error after the text that came, and is not asked for again', async () => {
    const place = await open().place()
    let text = ''
    const error = await client
      .stream(place, questions.broken, (piece) => {
        text += piece
      })
      .catch((fault: unknown) => fault)
    expect(text).toBe('Wait.')
    expect(client.failureOf(error).kind).toBe(client.brokenStream)
    expect(place.posts()).toBe(1)
    expect((await place.runs()).map(({ charges }) => charges)).toEqual([1])
  })

  test('a lost connection: asked again, by the client or its user, it is the same turn and one charge', async () => {
    const place = await open().place()
    const { hostname: host, port } = new URL(place.baseUrl)
    const proxy = await startSwitchedProxy({ host, port: Number(port) })
    const held = open().held()
    const ask = () => client.whole({ ...place, baseUrl: `http://127.0.0.1:${proxy.port}/v1` }, held.question)
    const first = ask().catch(() => undefined)
    await vi.waitFor(async () => expect(await place.runs()).toHaveLength(1), waiting)
    await proxy.off()
    await vi.waitFor(async () => expect(await place.runs()).toMatchObject([{ left: true }]), waiting)
    await proxy.on()
    held.release()
    expect(((await first) ?? (await ask())).text).toBe(hebrew + hebrew)
    await proxy.close()
    expect(await place.runs()).toMatchObject([{ status: 'completed', charges: 1 }])
  })

  test('stopped midway: the turn goes on and is charged once', async ({ expect }) => {
    const place = await open().place()
    const held = open().held()
    const stop = new AbortController()
    const ended = await client
      .stream(place, held.question, () => stop.abort(), stop.signal)
      .catch((fault: unknown) => client.failureOf(fault).kind)
    expect(typeof ended === 'string' ? ended : undefined).toBe(client.stopped)
    expect(await place.runs()).toMatchObject([{ status: 'in_progress', charges: 0 }])
    held.release()
    await expect
      .poll(() => place.runs(), { timeout: 20_000 })
      .toMatchObject([{ status: 'completed', charges: 1 }])
    expect(place.posts()).toBe(1)
  })
}

/**
 * Sends the question to the place with the trouble, and checks the failure and the number of requests.
 * Nothing may be charged.
 */
async function meet(world: ClientWorld, client: Adapter, name: TroubleName): Promise<void> {
  const { status, code, question = questions.plain, place: prepare } = situations[name]
  const { kind, attempts } = client.troubles[name]
  const place = await prepare(world)
  const stop = new AbortController()
  const asked = client.whole(place, question, stop.signal).then(
    () => new Error('it was answered'),
    (error: unknown) => error,
  )
  if (attempts === 'repeats') {
    await vi.waitFor(() => expect(place.posts()).toBe(2), waiting)
    stop.abort()
  } else {
    const failure = client.failureOf(await asked)
    expect(failure).toMatchObject({ kind, ...('status' in failure && { status, code }) })
    expect(place.posts()).toBe(attempts)
  }
  const charges = (await place.runs()).map((run) => run.charges)
  expect(charges.filter((n) => n > 0)).toEqual([])
}

async function expectShown(place: OwnPlace, seen: Seen, parts: readonly Part[]): Promise<void> {
  const [run] = await place.runs()
  const all: Omit<Required<Seen>, 'text'> = {
    session: run?.session_id,
    sources: citedAnswer.sources,
    files: citedAnswer.files,
    links: citedAnswer.links,
    cost: expect.any(Number),
  }
  const { text: _, ...shown } = seen
  const known = Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined))
  expect(known).toEqual(Object.fromEntries(parts.map((part) => [part, all[part]])))
}
