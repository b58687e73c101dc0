import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { commandLine } from '../../src/accounts/audit.ts'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { offerOf } from '../../src/models/embedding-offer.ts'
import { openApiModel } from '../../src/sources/embeddings/api-model.ts'
import type { EmbeddingModel } from '../../src/sources/embeddings/embedding-model.ts'
import { suspendAccount } from '../../src/turns/sessions/suspension.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '../support/fake-embeddings.ts'
import { times } from '../support/full.ts'
import { gate, reply } from '../support/upstream-scripts.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { ask, bodyOf, call } from '../support/world/requests.ts'
import { makeOwner } from '../support/world/things.ts'
import { openWorld, type World } from '../support/world/world.ts'

const model = 'text-embedding-fake'
/** Micro-credits per token. */
const price = 20n

let fake: FakeEmbeddings
let world: World
let openai: OpenAI
let api: EmbeddingModel

beforeAll(async () => {
  fake = await startFakeEmbeddings([['joy', 'simcha'], ['nullity']])
  api = openApiModel({ baseUrl: fake.baseUrl, apiKey: 'secret', model })
  world = await openWorld({ embeddings: offerOf(api, price), script: () => reply('An answer.') })
  openai = clientWith(world.key)
})
beforeEach(() => fake.count(undefined))
afterAll(async () => {
  await world.close()
  await api.close()
  await fake.close()
})

const clientWith = (apiKey: string, url = world.service.url) =>
  new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })

type Usage = OpenAI.CreateEmbeddingResponse.Usage & { readonly cost: number }

/** Micro-credits of all charges for embeddings. */
const charged = async () =>
  (
    await world.rows<{ micros: string }>(
      `select (-(allowance_micros + granted_micros))::text as micros from ledger where kind = 'charge' order by id`,
    )
  ).map(({ micros }) => Number(micros))

test('the openai package gets vectors in the order of its texts, as it asks by default', async () => {
  fake.count(7)
  const { data, usage, ...rest } = await openai.embeddings.create({
    model,
    input: ['simcha', 'other', 'nullity'],
  })
  expect(rest).toMatchObject({ object: 'list', model })
  expect(data.map(({ index, embedding }) => [index, embedding.map((one) => Math.fround(one))])).toEqual([
    [0, [Math.fround(0.1), 1, 0]],
    [1, [Math.fround(0.1), 0, 0]],
    [2, [Math.fround(0.1), 0, 1]],
  ])
  expect(usage).toEqual({ prompt_tokens: 7, total_tokens: 7, cost: 0.00014 })
  expect(fake.requests.at(-1)).toMatchObject({ dimensions: undefined, authorization: 'Bearer secret' })
})

test('`float` and `base64` have the same numbers; `dimensions` are passed on', async () => {
  const ask = (encoding_format: 'float' | 'base64') =>
    world.service.app.inject({
      method: 'POST',
      url: '/v1/embeddings',
      headers: { authorization: `Bearer ${world.key}` },
      payload: { model, input: 'simcha', encoding_format, dimensions: 2 },
    })
  const [floats, base64] = [(await ask('float')).json(), (await ask('base64')).json()]
  expect(floats.data).toEqual([{ object: 'embedding', index: 0, embedding: [0.1, 1] }])
  const bytes = Buffer.from(base64.data[0].embedding, 'base64')
  expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([Math.fround(0.1), 1])
  expect(fake.requests.at(-1)?.dimensions).toBe(2)
})

test('texts and token numbers reach the server unchanged', async () => {
  const pointed = 'בָּרוּךְ '.repeat(1_000)
  for (const input of [pointed, [pointed], [5, 6, 7], [[5, 6], [7]]] as const)
    await openai.embeddings.create({ model, input: input as unknown as string[] })
  expect(fake.requests.slice(-4).map(({ input }) => input)).toEqual([
    [pointed],
    [pointed],
    [[5, 6, 7]],
    [[5, 6], [7]],
  ])
})

test('a request of many texts is one charge of all their tokens', async () => {
  const before = await charged()
  fake.count(100)
  const input = Array.from({ length: 130 }, (_, n) => `Text ${n} about simcha`)
  const { data, usage } = await openai.embeddings.create({ model, input })
  expect(data).toHaveLength(130)
  expect(usage.prompt_tokens).toBe(300)
  expect(await charged()).toEqual([...before, 6_000])
  expect((usage as Usage).cost).toBe(0.006)
})

test('an impossible or missing count is replaced by an estimate', async () => {
  for (const count of [undefined, 0, 1_000_000]) {
    fake.count(count)
    const { usage } = await openai.embeddings.create({ model, input: 'Four' })
    expect(usage.prompt_tokens).toBe(1)
  }
})

test('the charge is in the usage by model, and is no turn', async () => {
  const key = await makeKey(world.db.database, (await makeAccount(world.db.database)).id)
  fake.count(3)
  await clientWith(key).embeddings.create({ model, input: 'simcha' })
  const usage = await fetch(`${world.service.url}/v1/usage?group_by=model`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(((await usage.json()) as { data: unknown }).data).toMatchObject([
    { model, turns: 0, prompt_tokens: 3, total_tokens: 3, credits: '0.00006' },
  ])
  expect(await world.broken()).toEqual([])
})

test('a failed request costs nothing and says what to do', async () => {
  const before = await charged()
  fake.fail(400, 1)
  await expect(openai.embeddings.create({ model, input: 'x' })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_value',
    param: 'input',
  })
  fake.fail(503, 2)
  await expect(openai.embeddings.create({ model, input: 'x' })).rejects.toMatchObject({
    status: 502,
    code: 'upstream_error',
    message: expect.stringContaining('Nothing was charged'),
  })
  await expect(openai.embeddings.create({ model, input: 'x', dimensions: 99 })).rejects.toMatchObject({
    status: 400,
    param: 'dimensions',
  })
  expect(await charged()).toEqual(before)
})

/** A client of a new account, at a service that takes this part of its credits for a token. */
async function poorClient(part: bigint): Promise<OpenAI> {
  const { id } = await makeAccount(world.db.database, 'pro')
  const { url } = await world.start({ embeddings: offerOf(api, builtInPlans.of('pro').monthlyMicros / part) })
  return clientWith(await makeKey(world.db.database, id), url)
}

test('without enough credits nothing is sent to the model', async () => {
  const client = await poorClient(1n)
  await client.embeddings.create({ model, input: 'x' })
  const sent = fake.requests.length
  await expect(client.embeddings.create({ model, input: 'x' })).rejects.toMatchObject({
    status: 402,
    code: 'insufficient_credits',
  })
  expect(fake.requests).toHaveLength(sent)
})

test('a spending cap of the key bounds embeddings', async () => {
  const { id } = await makeAccount(world.db.database, 'pro')
  const client = clientWith(await makeKey(world.db.database, id))
  await world.rows('update api_keys set day_cap_micros = 50 where account_id = $1', id)
  fake.count(2)
  await client.embeddings.create({ model, input: 'xx' })
  const sent = fake.requests.length
  const refused = client.embeddings.create({ model, input: 'sixteen letters!' })
  await expect(refused).rejects.toMatchObject({ code: 'key_cap_reached' })
  expect(fake.requests).toHaveLength(sent)
})

test('of two requests that cost too much together, one gets no vectors and pays what is left', async () => {
  const client = await poorClient(10n)
  // Each looks affordable before the server has counted.
  fake.count(6)
  fake.slow(100)
  const both = [1, 2].map(() => client.embeddings.create({ model, input: 'x' }))
  const outcomes = await Promise.allSettled(both)
  fake.slow(0)
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { status: 402 } })
  const monthly = Number(builtInPlans.of('pro').monthlyMicros)
  expect((await charged()).slice(-2)).toEqual([0.6 * monthly, 0.4 * monthly])
  expect(await world.broken()).toEqual([])
})

/** Sends a request whose model answers when the gate is opened, and waits until the model has it. */
async function askModel(client: OpenAI, signal?: AbortSignal) {
  const { opened, open } = gate()
  fake.waitFor(opened)
  fake.count(2)
  const sent = fake.requests.length
  const reply = client.embeddings.create({ model, input: 'xx' }, { signal }).then(
    () => undefined,
    (error: { readonly status?: number; readonly code?: string }) => error,
  )
  await expect.poll(() => fake.requests.length).toBe(sent + 1)
  return { reply, open }
}

test('a request whose client has disconnected while the model works pays', async () => {
  const before = await charged()
  const hangUp = new AbortController()
  const { reply, open } = await askModel(openai, hangUp.signal)
  hangUp.abort()
  await reply
  open()
  await expect.poll(charged).toEqual([...before, 2 * Number(price)])
})

test('an account that is suspended while the model works gets no vectors and pays nothing', async () => {
  const { id } = await makeAccount(world.db.database, 'pro')
  const before = await charged()
  const { reply, open } = await askModel(clientWith(await makeKey(world.db.database, id)))
  await suspendAccount(world.db.database, { actor: commandLine, accountId: id })
  open()
  expect(await reply).toMatchObject({ status: 403, code: 'account_suspended' })
  expect(await charged()).toEqual(before)
})

test('a request that passes a lowered cap pays what the cap leaves and gets no vectors', async () => {
  const { id } = await makeAccount(world.db.database, 'pro')
  const before = await charged()
  const { reply, open } = await askModel(clientWith(await makeKey(world.db.database, id)))
  await world.rows('update api_keys set total_cap_micros = 30, day_cap_micros = 20 where account_id = $1', id)
  open()
  expect(await reply).toMatchObject({ status: 402, code: 'key_cap_reached' })
  expect(await charged()).toEqual([...before, 20])
})

test('GET /v1/models lists the embedding model with its price', async () => {
  const listed = await world.get<{ data: { id: string; type: string; pricing: object }[] }>('/v1/models')
  expect(listed.data.map(({ id, type }) => [id, type])).toEqual([
    ['service', 'chat'],
    ['service-lite', 'chat'],
    [model, 'embedding'],
  ])
  expect(await openai.models.retrieve(model)).toMatchObject({ id: model, pricing: { input: 20, output: 0 } })
})

test('a model that is not there is refused by name', async () => {
  const refused = openai.embeddings.create({ model: 'other', input: 'x' })
  await expect(refused).rejects.toMatchObject({ status: 404, param: 'model' })
})

test('thirty chats and embeddings at once make the project of a new owner-wide key once', async () => {
  for (let round = 0; round < times(2, 5); round += 1) {
    const { key } = await makeOwner(world.db, 'unlimited')
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const [path, body] =
          n % 2 === 0
            ? ['/v1/chat/completions', ask(`Question ${n}`)]
            : ['/v1/embeddings', { model, input: 'joy' }]
        const send = () => call(world.service, key, 'POST', path as string, body as object)
        let response = await send()
        // On a busy machine some wait too long for a connection. Clients then retry.
        while (response.status === 503) response = await send()
        return response.status
      }),
    )
    expect(statuses).toEqual(Array(30).fill(200))
    const projects = await bodyOf(call(world.service, key, 'GET', '/v1/projects'))
    expect(projects.data).toHaveLength(1)
  }
  expect(await world.broken()).toEqual([])
})

test('a service without an embedding model says which settings offer one', async () => {
  const other = await openWorld()
  try {
    const client = clientWith(other.key, other.service.url)
    await expect(client.embeddings.create({ model: 'x', input: 'x' })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      message: expect.stringContaining('EMBEDDINGS_BASE_URL'),
    })
  } finally {
    await other.close()
  }
})
