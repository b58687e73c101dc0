import { sql } from 'drizzle-orm'
import pg from 'pg'
import { type Logger, pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Executor } from '../../../src/db/client.ts'
import { createEmbeddingsClient } from '../../../src/sources/search/meaning/embeddings-client.ts'
import type { SemanticSearch } from '../../../src/sources/search/meaning/semantic.ts'
import { embedLibrary } from '../../../src/sources/search/meaning/semantic-embed.ts'
import {
  type OpenSemanticSearch,
  openSemanticSearch,
  semanticSearch,
} from '../../../src/sources/search/meaning/semantic-search.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '../../support/fake-embeddings.ts'
import { importLines } from '../../support/library-lines.ts'

const lacking = 'the Postgres under test has no extension "vector"'
const available = await hasExtension()
if (!available) process.stderr.write(`Search by meaning itself is not tested: ${lacking}.\n`)

/** The first and the last share no word with each other, nor with the questions below. */
const texts = [
  { work: 'Garden', ref: 'Garden 1', en: 'Gladness breaks through every fence' },
  { work: 'Garden', ref: 'Garden 3', en: 'Awe stands at the gate of wisdom' },
  { work: 'River', ref: 'River 1', he: 'והיה תמיד בחדוה', en: 'Be cheerful always' },
  { work: 'River', ref: 'River 3', en: 'The water runs down to the sea' },
  ...Array.from({ length: 80 }, (_, i) => ({
    work: 'Filler',
    ref: `Filler ${2 * i}`,
    en: `stone number ${i}`,
  })),
]
const topics = [
  ['joy', 'Gladness', 'cheerful', 'חדוה'],
  ['Awe', 'fear'],
  ['water', 'sea'],
]

let db: TestDatabase
let server: FakeEmbeddings

beforeAll(async () => {
  db = await createTestDatabase()
  server = await startFakeEmbeddings(topics)
  await addTexts(texts)
})
afterAll(async () => {
  await server.close()
  await db.drop()
})

async function hasExtension(): Promise<boolean> {
  const client = new pg.Client({ connectionString: inject('postgres').adminUrl })
  await client.connect()
  const found = await client.query(`select 1 from pg_available_extensions where name = 'vector'`)
  await client.end()
  return found.rowCount === 1
}

async function addTexts(rows: readonly object[]): Promise<void> {
  await importLines(db.database, rows)
}

/** A log and the messages written to it. */
function listeningLog(): { readonly log: Logger; readonly said: readonly string[] } {
  const said: string[] = []
  return { log: pino({ level: 'info' }, { write: (line) => said.push(line) }), said }
}

const settings = (model = 'fake') => ({ baseUrl: server.baseUrl, apiKey: 'sk-hidden-away', model })
const refsOf = async (text: string, semantic?: SemanticSearch, work?: string) =>
  (await searchSources(db.database.system, { text, limit: 10, work }, semantic)).map((hit) => hit.ref)

/** An executor, and how many statements went through it. */
function counting(executor: Executor): { readonly executor: Executor; count(): number } {
  let statements = 0
  const proxy = new Proxy(executor, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name === 'execute' || name === 'transaction') statements += 1
      return value.bind(target)
    },
  })
  return { executor: proxy, count: () => statements }
}

describe('a search that is not to look for meaning', () => {
  it('asks no server, and the database not once more than a search whose neighbours were given', async () => {
    const before = server.requests.length
    const off = counting(db.database.system)
    const given = counting(db.database.system)
    await searchSources(off.executor, { text: 'wisdom', limit: 10 })
    await searchSources(given.executor, { text: 'wisdom', limit: 10 }, { nearest: async () => [] })
    expect(off.count()).toBe(given.count())
    expect(server.requests.length).toBe(before)
  })

  it('finds by words what it always found', async () => {
    expect(await refsOf('the gate of wisdom')).toEqual(['Garden 3'])
    expect(await refsOf('carefree')).toEqual([])
  })
})

describe('an embeddings server in trouble', () => {
  it.each([
    ['fails', () => server.fail(500, 1)],
    ['refuses', () => server.fail(401, 1)],
    ['answers what is no JSON', () => server.say('<html>', 1)],
  ])('that %s leaves what words find, asks once, and is logged without the key', async (_, trouble) => {
    const { log, said } = listeningLog()
    const client = createEmbeddingsClient(settings())
    const before = server.requests.length
    trouble()
    expect(await refsOf('the gate of wisdom', semanticSearch(client, log))).toEqual(['Garden 3'])
    expect(server.requests.length - before).toBe(1)
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('searched by words only')
    expect(said[0]).not.toContain('sk-hidden-away')
    await client.close()
  })

  it('that hangs is given up by one search and not asked by the next', async () => {
    const client = createEmbeddingsClient(settings())
    const semantic = semanticSearch(client, listeningLog().log)
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

it('a database whose role may not make the extension, or has none, leaves it off and says so once', async () => {
  const { log, said } = listeningLog()
  const opened = await openSemanticSearch(db.database, { settings: settings(), ownerUrl: undefined, log })
  expect(opened).toBeUndefined()
  expect(said).toHaveLength(1)
  expect(said[0]).toContain('semantic search is off')
  expect(await refsOf('the gate of wisdom')).toEqual(['Garden 3'])
})

describe.skipIf(!available)(`with pgvector${available ? '' : ` (skipped: ${lacking})`}`, () => {
  let meaning: OpenSemanticSearch

  beforeAll(async () => {
    const url = new URL(inject('postgres').adminUrl)
    url.pathname = new URL(db.url).pathname
    const admin = new pg.Client({ connectionString: url.href })
    await admin.connect()
    await admin.query('create extension vector')
    await admin.end()
    meaning = await open()
  })
  afterAll(() => meaning.close())

  async function open(model?: string): Promise<OpenSemanticSearch> {
    const { log } = listeningLog()
    const opened = await openSemanticSearch(db.database, { settings: settings(model), ownerUrl: db.url, log })
    if (!opened) throw new Error('search by meaning is off')
    return opened
  }
  const embed = (from = meaning) => embedLibrary(db.database.system, from.embeddings, () => undefined)

  it('many processes can open it at once', async () => {
    for (const opened of await Promise.all(Array.from({ length: 6 }, () => open()))) await opened.close()
  })

  it('goes on after an interruption with what is missing, and then has nothing to do', async () => {
    server.say('{"data":[]}', 1)
    await expect(embed()).rejects.toThrow(/cannot be used/)
    const steps: (readonly [number, number])[] = []
    const begin = server.requests.length
    // The first batch is made; the second is refused.
    const first = embedLibrary(db.database.system, meaning.embeddings, (done, of) => {
      steps.push([done, of])
      if (done === 64) server.fail(400, 1)
    })
    await expect(first).rejects.toThrow(/400/)
    expect(await embed()).toEqual({ embedded: 21, total: 85 })
    expect(steps).toEqual([[64, 85]])
    expect(server.requests.slice(begin).map((r) => r.input.length)).toEqual([64, 21, 21])
    expect(await embed()).toEqual({ embedded: 0, total: 85 })
  })

  it('finds what means the same in other words, in both languages', async () => {
    expect(await refsOf('joy')).toEqual([])
    const found = await refsOf('joy', meaning.search)
    expect(found.slice(0, 2)).toEqual(['Garden 1', 'River 1'])
  })

  it('puts what words and meaning agree on first', async () => {
    expect((await refsOf('fear at the gate', meaning.search))[0]).toBe('Garden 3')
  })

  it('stays within the works that a search is confined to', async () => {
    const found = await refsOf('joy', meaning.search, 'River')
    expect(found[0]).toBe('River 1')
    expect(found.every((ref) => ref.startsWith('River'))).toBe(true)
  })

  it('gives the same order every time, and pages that fit together', async () => {
    const page = (offset: number, limit: number) =>
      searchSources(db.database.system, { text: 'joy of the sea', limit, offset }, meaning.search)
    const whole = (await page(0, 12)).map((hit) => hit.ref)
    const parts = [...(await page(0, 5)), ...(await page(5, 7))].map((hit) => hit.ref)
    expect(parts).toEqual(whole)
  })

  it('vectors go with the texts they belong to, and new texts get theirs', async () => {
    await addTexts([{ work: 'River', ref: 'River 3', en: 'cheerful is the water' }])
    // The English version of the work is now this one text; its two old ones took their vectors along.
    expect(await embed()).toEqual({ embedded: 1, total: 84 })
    const kept = await db.database.system.execute(sql`select 1 from passage_embeddings`)
    expect(kept.rowCount).toBe(84)
    expect((await refsOf('sea', meaning.search))[0]).toBe('River 3')
  })

  it('another model has vectors of its own, which replace the old ones', async () => {
    const other = await open('another')
    const { log } = listeningLog()
    expect(await refsOf('joy', semanticSearch(other.embeddings, log))).toEqual([])
    expect((await embed(other)).embedded).toBe(84)
    expect((await refsOf('joy', other.search))[0]).toBe('Garden 1')
    expect(await refsOf('joy', meaning.search)).toEqual([])
    await other.close()
  })

  it('vectors of another length than the query leave what words find', async () => {
    const { log, said } = listeningLog()
    const client = createEmbeddingsClient(settings('another'))
    server.say('{"data":[{"embedding":[1,2]}]}', 1)
    expect(await refsOf('the gate of wisdom', semanticSearch(client, log))).toEqual(['Garden 3'])
    expect(said[0]).toContain('different vector dimensions')
    await client.close()
  })
})
