import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { call, makeAccount, makeKey, startTestService, type TestService } from '../support/service.ts'

let db: TestDatabase
let service: TestService
let key: string
let ready = true

beforeAll(async () => {
  db = await createTestDatabase()
  service = await startTestService(db.database, { ready: () => ready })
  const { id } = await makeAccount(db.database)
  key = await makeKey(db.database, id)
})
afterAll(async () => {
  await service.stop()
  await db.drop()
})

test('a process that shuts down says so at /readyz, still lives at /healthz, and refuses requests in the shape of all failures', async () => {
  expect((await call(service, key, 'GET', '/v1/models')).status).toBe(200)
  ready = false
  expect((await call(service, undefined, 'GET', '/healthz')).status).toBe(200)
  for (const path of ['/readyz', '/v1/models', '/v1/nothing']) {
    const refused = await call(service, key, 'GET', path)
    expect([path, refused.status, refused.headers.get('retry-after')]).toEqual([path, 503, '2'])
    expect(await refused.json()).toEqual({
      error: {
        message: 'The service is shutting down. Send the request again.',
        type: 'server_error',
        param: null,
        code: 'overloaded',
      },
    })
  }
  ready = true
  expect((await call(service, undefined, 'GET', '/readyz')).status).toBe(200)
})
