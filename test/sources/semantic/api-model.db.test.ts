import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../../src/config.ts'
import { openApiModel } from '../../../src/sources/embeddings/api-model.ts'
import { type EmbeddingModel, EmbeddingsFault } from '../../../src/sources/embeddings/embedding-model.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '../../support/fake-embeddings.ts'

const apiKey = 'sk-a-key-that-nobody-may-read'
let server: FakeEmbeddings
let client: EmbeddingModel

beforeAll(async () => {
  server = await startFakeEmbeddings([['joy'], ['awe']])
  client = openApiModel({ baseUrl: server.baseUrl, apiKey, model: 'm' })
})
afterEach(() => server.slow(0))
afterAll(async () => {
  await client.close()
  await server.close()
})

const faultOf = async (work: Promise<unknown>): Promise<EmbeddingsFault> => {
  const error = await work.catch((e: unknown) => e)
  if (error instanceof EmbeddingsFault) return error
  throw new Error(`no fault of the embeddings server: ${String(error)}`)
}

it('asks for 64 texts at a time and gives the vectors in the order of the texts', async () => {
  const before = server.requests.length
  const texts = Array.from({ length: 130 }, (_, i) => (i % 2 ? 'joy' : 'awe'))
  const vectors = await client.embed(texts, 'passage')
  expect(vectors).toHaveLength(130)
  expect(vectors.every((v, i) => v[1] === i % 2 && v[2] === 1 - (i % 2))).toBe(true)
  const asked = server.requests.slice(before)
  expect(asked.map((r) => r.input.length)).toEqual([64, 64, 2])
  expect(asked[0]?.authorization).toBe(`Bearer ${apiKey}`)
})

it('sends texts without points and cantillation, at a bounded length, and none that is empty', async () => {
  await client.embed(['שִׂמְחָה־שֶׁל', 'x'.repeat(10_000), '  '], 'passage')
  const input = server.requests.at(-1)?.input ?? []
  expect(input[0]).toBe('שמחה־של')
  expect(input[1]?.length).toBe(4_000)
  expect(input[2]).toBe('-')
})

it('tries again twice after a retryable failure, and no more', async () => {
  server.fail(503, 2)
  expect(await client.embed(['joy'], 'passage')).toHaveLength(1)
  const before = server.requests.length
  server.fail(429, 3)
  expect((await faultOf(client.embed(['joy'], 'passage'))).message).toContain('429')
  expect(server.requests.length - before).toBe(3)
})

it('does not repeat what is refused, and says neither the key nor what the server said', async () => {
  const before = server.requests.length
  server.fail(401, 1)
  const fault = await faultOf(client.embed(['joy'], 'passage'))
  expect(fault.message).toBe('The embeddings server answered with status 401.')
  expect(JSON.stringify([fault.message, fault.stack, fault.cause ?? ''])).not.toContain(apiKey)
  expect(server.requests.length - before).toBe(1)
})

it.each(['no json', '{}', '{"data":[]}', '{"data":[{"embedding":["a"]}]}', '{"data":[{"embedding":[]}]}'])(
  'takes no vectors out of %s',
  async (body) => {
    server.say(body, 1)
    expect((await faultOf(client.embed(['joy'], 'passage'))).message).toMatch(/cannot be used/)
  },
)

it('takes no vectors of several lengths', async () => {
  server.say('{"data":[{"embedding":[1]},{"embedding":[1,2]}]}', 1)
  expect((await faultOf(client.embed(['joy', 'awe'], 'passage'))).message).toMatch(/several lengths/)
})

it('waits no longer than its time limit', async () => {
  server.slow(600_000)
  const fault = await faultOf(client.embed(['joy'], 'query', { timeoutMs: 150, retries: 0 }))
  expect(fault.message).toContain('150 ms')
  server.slow(0)
})

it('a server that is not there is a failure with its code', async () => {
  const nowhere = openApiModel({ baseUrl: 'http://127.0.0.1:1/v1', apiKey, model: 'm' })
  const fault = await faultOf(nowhere.embed(['joy'], 'query', { timeoutMs: 1_000, retries: 0 }))
  expect(fault.message).toContain('ECONNREFUSED')
  await nowhere.close()
})

it('the settings need a model with the address, and nothing is configured without an address', () => {
  const address = { EMBEDDINGS_BASE_URL: 'http://localhost:11434/v1/' }
  expect(() => readConfig(address)).toThrow(ConfigError)
  const api = { kind: 'api', baseUrl: 'http://localhost:11434/v1', apiKey: undefined, model: 'm' }
  expect(readConfig({ ...address, EMBEDDINGS_MODEL: 'm' }).embeddings).toEqual(api)
  expect(readConfig({}).embeddings).toBeUndefined()
  const needs = /needs EMBEDDINGS_BASE_URL, or the form local:ID/
  expect(() => readConfig({ EMBEDDINGS_MODEL: 'm' })).toThrow(needs)
})

it('the setting local: names a model that the service runs, and no address beside it', () => {
  const local = { kind: 'local', model: 'an/id' }
  expect(readConfig({ EMBEDDINGS_MODEL: 'local:an/id' }).embeddings).toEqual(local)
  expect(() => readConfig({ EMBEDDINGS_MODEL: 'local:' })).toThrow(/needs the id of a model/)
  const both = { EMBEDDINGS_BASE_URL: 'http://localhost:1/v1', EMBEDDINGS_MODEL: 'local:an/id' }
  expect(() => readConfig(both)).toThrow(/Remove EMBEDDINGS_BASE_URL/)
})
