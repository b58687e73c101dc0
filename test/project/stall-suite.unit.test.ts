import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Case, nameOf } from '../fuzz/stalls/case.ts'
import { faultsOf, limitsOn } from '../fuzz/stalls/limits.ts'
import { inRounds } from '../fuzz/stalls/order.ts'
import { partsOf } from '../fuzz/stalls/page-forms.ts'
import { placesOf } from '../fuzz/stalls/places.ts'
import { schemaKinds } from '../fuzz/stalls/schema-kinds.ts'
import { textKinds } from '../fuzz/stalls/text-kinds.ts'
import { valueKinds } from '../fuzz/stalls/value-kinds.ts'
import { startWatchedService, type WatchedService } from '../fuzz/stalls/watched-service.ts'
import { sendOver } from '../fuzz/stalls/wire.ts'
import { seededRandom } from '../support/random.ts'

const limits = limitsOn({ processor: 1, machine: 1 })

describe('the watched process', () => {
  let service: WatchedService
  const ask = (path: string) =>
    service.watch(async () => void (await sendOver(service.url, { method: 'GET', path })), true)

  beforeAll(async () => {
    const server = fileURLToPath(new URL('../fuzz/stalls/held-server.ts', import.meta.url))
    service = await startWatchedService(tmpdir(), {}, server)
  })
  afterAll(() => service.stop())

  test('a request that holds the event loop is a finding', async () => {
    const strain = await ask('/hold')
    expect(strain.loopMs).toBeGreaterThan(limits.loopMs)
    expect(strain.healthMs).toBeGreaterThan(limits.healthMs)
    expect(faultsOf(strain, 10, limits)).toContainEqual(expect.stringMatching(/^the event loop was held for/))
  })

  test.runIf(process.platform === 'linux')('a request that fills the memory is a finding', async () => {
    const strain = await ask('/fill')
    expect(faultsOf(strain, 10, limits)).toContainEqual(
      expect.stringMatching(/^the memory grew by (29|30)\d/),
    )
    expect(faultsOf({ ...strain, loopMs: 0, healthMs: 0 }, 100 * 1024 * 1024, limits)).toEqual([])
  })

  test('a request that ends the process is seen', async () => {
    const strain = await ask('/end')
    expect(strain.loopMs).toBe(Number.POSITIVE_INFINITY)
    expect(service.ended()).toBe(true)
  })
})

describe('the cases', () => {
  test('every kind of value grows with its size and is JSON', () => {
    for (const kind of [...textKinds, ...valueKinds, ...schemaKinds]) {
      const [small, large] = [kind.json({ bytes: 500 }), kind.json({ bytes: 8_000 })]
      expect(() => JSON.parse(large), kind.name).not.toThrow()
      expect(large.length, kind.name).toBeGreaterThanOrEqual(small.length)
    }
  })

  test('a text has the number of characters that a field allows', () => {
    for (const kind of textKinds)
      expect(kind.text({ characters: 200 }).length, kind.name).toBeLessThanOrEqual(200)
  })

  test('each field of a schema is a place, within arrays and branches too', () => {
    const schema = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        items: { type: 'array', items: { anyOf: [{ type: 'string' }, { $ref: '#/item' }] } },
      },
    }
    const item = { type: 'object', properties: { free: { type: 'object' } } }
    const places = placesOf(schema, () => item)
    expect(places.map(({ path }) => path).toSorted()).toEqual([
      '',
      'items',
      'items[*]',
      'items[]',
      'items[].free',
      'items[].free.unknown',
      'items[].unknown',
      'name',
      'unknown',
    ])
    const free = places.find(({ path }) => path === 'items[].free')
    expect(free?.kinds).toEqual(expect.arrayContaining([...schemaKinds]))
    expect(JSON.parse(free?.body('[7]') ?? '')).toEqual({ name: 'text', items: [{ free: [7] }] })
  })

  test('the forms of a page are found with what their fields hold', () => {
    const page = `<a href="/a?x=1">a</a><form method="post" action="/b"><input name="c" value="d"><textarea name="e"></textarea>
      <select name="f"><option value="1"><option value="2" selected></select></form><form><input name="q"></form>`
    expect(partsOf(page, '/here')).toEqual({
      links: ['/a?x=1'],
      forms: [
        { method: 'POST', action: '/b', isMultipart: false, fields: { c: 'd', e: '', f: '2' } },
        { method: 'GET', action: '/here', isMultipart: false, fields: { q: '' } },
      ],
    })
  })

  test('each part of each subject has its turn before any has a second one', () => {
    const step = () => ({ subject: '', as: 'key' as const, request: { method: 'GET', path: '/' } })
    const cases = ['a', 'b', 'c'].flatMap((part) =>
      ['1', 'array of zeros', '2'].map((kind): Case => ({ subject: 's', part, kind, sizes: [1], step })),
    )
    const order = inRounds(cases, seededRandom(1))
    const first = order.slice(0, 3)
    expect(first.map(({ part }) => part).toSorted()).toEqual(['a', 'b', 'c'])
    expect(first.every(({ kind }) => kind === 'array of zeros')).toBe(true)
    expect(order.map(nameOf)).toEqual(inRounds(cases, seededRandom(1)).map(nameOf))
    expect(order.map(nameOf)).not.toEqual(inRounds(cases, seededRandom(2)).map(nameOf))
  })
})
