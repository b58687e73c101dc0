import { afterAll, beforeAll, expect, test } from 'vitest'
import { offerOf } from '../../src/models/embedding-offer.ts'
import { openApiModel } from '../../src/sources/embeddings/api-model.ts'
import type { EmbeddingModel } from '../../src/sources/embeddings/embedding-model.ts'
import { type FakeEmbeddings, startFakeEmbeddings } from '../support/fake-embeddings.ts'
import { times } from '../support/full.ts'
import { reply } from '../support/upstream-scripts.ts'
import { ask, bodyOf, call } from '../support/world/requests.ts'
import { makeOwner } from '../support/world/things.ts'
import { openWorld, type World } from '../support/world/world.ts'

const model = 'text-embedding-fake'

let fake: FakeEmbeddings
let api: EmbeddingModel
let world: World

beforeAll(async () => {
  fake = await startFakeEmbeddings([['joy', 'simcha']])
  api = openApiModel({ baseUrl: fake.baseUrl, apiKey: 'secret', model })
  world = await openWorld({ embeddings: offerOf(api, 20n), script: () => reply('An answer.') })
})
afterAll(async () => {
  await world.close()
  await api.close()
  await fake.close()
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
