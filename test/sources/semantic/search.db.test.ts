import { sql } from 'drizzle-orm'
import { type Logger, pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { openApiModel } from '../../../src/sources/embeddings/api-model.ts'
import type { EmbeddingModel } from '../../../src/sources/embeddings/embedding-model.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { type SemanticSearch, semanticSearch } from '../../../src/sources/search/semantic/semantic-search.ts'
import { embedLibrary } from '../../../src/sources/vectors/embed-library.ts'
import { fillPgvector, hasPgvector, openPgvector } from '../../../src/sources/vectors/pgvector.ts'
import { openVectorMemory } from '../../../src/sources/vectors/vector-memory.ts'
import { createTestDatabase, type TestDatabase, useDatabase } from '../../support/database.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '../../support/fake-embeddings.ts'
import { asAdminOf } from '../../support/library-database.ts'
import { importLines } from '../../support/library-lines.ts'

const lacking = 'the Postgres under test has no extension "vector"'
const available = await hasExtension()
if (!available) process.stderr.write(`Search by pgvector is not tested: ${lacking}.\n`)

/** The first and the last share no word with each other, nor with the questions below. */
const texts = [
  { work: 'Garden', ref: 'Garden 1', en: 'Gladness breaks through every fence' },
  { work: 'Garden', ref: 'Garden 3', en: 'Awe stands at the gate of wisdom' },
  { work: 'River', ref: 'River 1', he: 'והיה תמיד בחדוה', en: 'Be cheerful always' },
  { work: 'River', ref: 'River 3', en: 'The water runs down to the sea' },
  ...Array.from({ length: 80 }, (_, i) => ({ work: 'Filler', ref: `Filler ${2 * i}`, en: `stone ${i}` })),
]
const topics = [
  ['carefree', 'joy', 'Gladness', 'cheerful', 'חדוה'],
  ['Awe', 'fear'],
  ['water', 'sea'],
]

let server: FakeEmbeddings

const db = useDatabase()
beforeAll(async () => {
  server = await startFakeEmbeddings(topics)
  await importLines(db.database, texts)
})
afterAll(() => server.close())

async function hasExtension(): Promise<boolean> {
  const extensions = `select 1 from pg_available_extensions where name = 'vector'`
  return (await asAdminOf(inject('postgres').adminUrl, (admin) => admin.query(extensions))).rowCount === 1
}

/** A log and the messages written to it. */
function listeningLog(): { readonly log: Logger; readonly said: readonly string[] } {
  const said: string[] = []
  return { log: pino({ level: 'info' }, { write: (line) => said.push(line) }), said }
}

const settings = (model = 'fake') => ({ baseUrl: server.baseUrl, apiKey: 'sk-hidden-away', model })
const refsOf = async (text: string, semantic?: SemanticSearch, work?: string) =>
  (await searchSources(db.database.system, { text, limit: 10, work }, semantic)).map((hit) => hit.ref)

describe('a search that is not to look for meaning', () => {
  it('asks no server, and the database not once more than a search whose neighbours were given', async () => {
    const before = server.requests.length
    const query = vi.spyOn(db.database.systemPool, 'query')
    const counted = async (semantic?: Pick<SemanticSearch, 'nearest'>) => {
      query.mockClear()
      await searchSources(db.database.system, { text: 'wisdom', limit: 10 }, semantic)
      return query.mock.calls.length
    }
    const off = await counted()
    expect(off).toBeGreaterThan(0)
    expect(off).toBe(await counted({ nearest: async () => [] }))
    query.mockRestore()
    expect(server.requests.length).toBe(before)
  })

  it('finds by words what it always found', async () => {
    expect(await refsOf('the gate of wisdom')).toEqual(['Garden 3'])
    expect(await refsOf('carefree')).toEqual([])
  })
})

/** An index without a vector. */
const nothing = { nearest: async () => [], close: async () => undefined }

describe('an embeddings server in trouble', () => {
  it.each([
    ['fails', () => server.fail(500, 1)],
    ['refuses', () => server.fail(401, 1)],
    ['answers what is no JSON', () => server.say('<html>', 1)],
  ])('that %s leaves what words find, asks once, and is logged without the key', async (_, trouble) => {
    const { log, said } = listeningLog()
    const client = openApiModel(settings())
    const before = server.requests.length
    trouble()
    expect(await refsOf('the gate of wisdom', semanticSearch(client, nothing, log))).toEqual(['Garden 3'])
    expect(server.requests.length - before).toBe(1)
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('searched by words only')
    expect(said[0]).not.toContain('sk-hidden-away')
    await client.close()
  })

  it('that hangs is given up by one search and not asked by the next', async () => {
    const client = openApiModel(settings())
    const semantic = semanticSearch(client, nothing, listeningLog().log)
    server.slow(600_000)
    const before = server.requests.length
    expect(await refsOf('the gate of wisdom', semantic)).toEqual(['Garden 3'])
    expect(await refsOf('the gate of wisdom', semantic)).toEqual(['Garden 3'])
    expect(server.requests.length - before).toBe(1)
    server.slow(0)
    await client.close()
  })
})

it('a ref is looked up and a blank query left alone: no server is asked', async () => {
  const executor = db.database.system
  const semantic = { nearest: () => Promise.reject(new Error('must not be asked')) }
  await searchSources(executor, { text: 'Garden 3', limit: 5 }, semantic)
  expect(await searchSources(executor, { text: '  ', limit: 5 }, semantic)).toEqual([])
})

/** What a library with vectors finds, whichever index searches them. */
describe.each(['memory', 'pgvector'] as const)('semantic search, vectors in %s', (kind) => {
  let own: TestDatabase
  const closing: { close(): Promise<void> }[] = []
  const test = it.skipIf(kind === 'pgvector' && !available)

  beforeAll(async () => {
    own = await createTestDatabase()
    await importLines(own.database, texts)
    if (kind === 'pgvector' && available)
      await asAdminOf(own.url, (admin) => admin.query('create extension vector'))
  })
  afterAll(async () => {
    await Promise.all(closing.map((opened) => opened.close()))
    await own.drop()
  })

  function modelOf(name = 'fake'): EmbeddingModel {
    const model = openApiModel(settings(name))
    closing.push(model)
    return model
  }

  /** A search that looks for new vectors each time. */
  function open(model = modelOf()): SemanticSearch {
    const memory = () => openVectorMemory(own.database, model.name, { refreshMs: 0 })
    const index = kind === 'memory' ? memory() : openPgvector(own.database)
    const search = semanticSearch(model, index, listeningLog().log)
    closing.push(search)
    return search
  }

  async function embed(model = modelOf()) {
    const made = await embedLibrary(own.database, model, () => undefined)
    if (kind === 'pgvector') await fillPgvector(own.database, own.url, model.name)
    return made
  }

  const find = async (text: string, semantic?: SemanticSearch, work?: string) =>
    (await searchSources(own.database.system, { text, limit: 10, work }, semantic)).map((hit) => hit.ref)

  test('an interrupted run is continued with what is missing, and then has nothing to do', async () => {
    const model = modelOf()
    server.say('{"data":[]}', 1)
    await expect(embed(model)).rejects.toThrow(/cannot be used/)
    const steps: (readonly [number, number])[] = []
    const begin = server.requests.length
    // The first batch is made; the second is refused.
    const first = embedLibrary(own.database, model, (done, of) => {
      steps.push([done, of])
      if (done === 64) server.fail(400, 1)
    })
    await expect(first).rejects.toThrow(/400/)
    expect(await embed(model)).toEqual({ embedded: 21, total: 85 })
    expect(steps).toEqual([[64, 85]])
    expect(server.requests.slice(begin).map((r) => r.input.length)).toEqual([64, 21, 21])
    expect(await embed(model)).toEqual({ embedded: 0, total: 85 })
    expect(await hasPgvector(own.database.system, model.name)).toBe(kind === 'pgvector')
  })

  test('what means the same in other words is found in both languages, within a work if it is named', async () => {
    expect(await find('carefree')).toEqual([])
    expect((await find('carefree', open())).slice(0, 2)).toEqual(['Garden 1', 'River 1'])
    const found = await find('carefree', open(), 'River')
    expect(found[0]).toBe('River 1')
    expect(found.every((ref) => ref.startsWith('River'))).toBe(true)
    // What words and meaning agree on comes first.
    expect((await find('fear at the gate', open()))[0]).toBe('Garden 3')
  })

  test('equal searches give the same order, and their pages fit together', async () => {
    const semantic = open()
    const page = (offset: number, limit: number) =>
      searchSources(own.database.system, { text: 'joy of the sea', limit, offset }, semantic)
    const whole = (await page(0, 12)).map((hit) => hit.ref)
    const parts = [...(await page(0, 5)), ...(await page(5, 7))].map((hit) => hit.ref)
    expect(parts).toEqual(whole)
  })

  test('an open search finds texts that come later, and forgets the vectors of removed ones', async () => {
    const semantic = open()
    await find('sea', semantic)
    await importLines(own.database, [{ work: 'River', ref: 'River 3', en: 'cheerful is the water' }])
    // The English version of the work is now this one text; its two old ones took their vectors along.
    expect(await embed()).toEqual({ embedded: 1, total: 84 })
    const kept = await own.database.system.execute(sql`select 1 from passage_vectors`)
    expect(kept.rowCount).toBe(84)
    await expect.poll(async () => (await find('sea', semantic))[0]).toBe('River 3')
  })

  test('another model replaces the vectors, and the former one finds nothing by meaning', async () => {
    const [former, other] = [open(), modelOf('another')]
    await find('carefree', former)
    expect((await embed(other)).embedded).toBe(84)
    expect((await find('carefree', open(other)))[0]).toBe('Garden 1')
    if (kind === 'memory') await expect.poll(() => find('carefree', former)).toEqual([])
    expect(await hasPgvector(own.database.system, 'fake')).toBe(false)
  })

  test('a vector of another length than those of the library leaves what words find', async () => {
    const { log, said } = listeningLog()
    const model = modelOf('another')
    const index = kind === 'memory' ? openVectorMemory(own.database, 'another') : openPgvector(own.database)
    const semantic = semanticSearch(model, index, log)
    closing.push(semantic)
    server.say('{"data":[{"embedding":[1,2]}]}', 1)
    expect(await find('the gate of wisdom', semantic)).toEqual(['Garden 3'])
    expect(said[0]).toContain('dimensions')
  })
})

it('a database without pgvector is searched in memory, and nothing is copied for it', async () => {
  if (available) return
  expect(await fillPgvector(db.database, db.url, 'fake')).toBeUndefined()
  expect(await hasPgvector(db.database.system, 'fake')).toBe(false)
})
