import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzzRequests } from '../../fuzz/requests.ts'
import { openRequestsWorld, type RequestsWorld } from '../../fuzz/requests-world.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { checkInvariants } from '../../support/invariants.ts'

/** `npm run fuzz -- --seed N --requests 3000` repeats it. */
const seed = 1 + Math.floor(Math.random() * 2 ** 31)
const requests = 3_000

let db: TestDatabase
let world: RequestsWorld

beforeAll(async () => {
  db = await createTestDatabase()
  world = await openRequestsWorld(db.database)
})
afterAll(async () => {
  await world.close()
  await db.drop()
})

test(`${requests} requests made from the OpenAPI document, whole and broken, meet no fault, and every refusal is a described one (seed ${seed})`, {
  timeout: 600_000,
}, async () => {
  const { sent, byStatus, findings } = await fuzzRequests({ ...world, requests, seed })
  expect(findings).toEqual([])
  expect(sent).toBeGreaterThanOrEqual(requests)
  // Both happen: what is described is accepted, and what is broken is refused.
  expect(byStatus.get(200)).toBeGreaterThan(requests / 10)
  expect(byStatus.get(400)).toBeGreaterThan(requests / 10)
  expect(await checkInvariants(db.database)).toEqual([])
})
