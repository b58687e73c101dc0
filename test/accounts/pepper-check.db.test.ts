import { afterEach, beforeEach, expect, test } from 'vitest'
import { createKey, revokeKey } from '../../src/accounts/keys/keys.ts'
import { type Peppers, parsePeppers } from '../../src/accounts/keys/pepper.ts'
import { keysWithoutPepper, requireSamePeppers } from '../../src/accounts/keys/pepper-check.ts'
import { type Executor, withTx } from '../../src/db/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { makeAccount } from '../support/world/accounts.ts'

let db: TestDatabase

beforeEach(async () => {
  db = await createTestDatabase()
})
afterEach(() => db.drop())

const first = parsePeppers('the first secret of all')
const other = parsePeppers('quite another secret')

const inTx = <T>(work: (tx: Executor) => Promise<T>) => withTx(db.database, 'system', work)
const start = (peppers: Peppers) => requireSamePeppers(db.database.system, peppers)

async function keyMadeWith(peppers: Peppers) {
  const { id } = await makeAccount(db.database)
  const reach = { kind: 'owner' } as const
  const { info } = await inTx((tx) => createKey(tx, peppers, id, { name: 'k', reach }))
  return { accountId: id, keyId: info.id }
}

test('a start with another pepper than that of working keys is refused with the remedy', async () => {
  await start(first)
  await keyMadeWith(first)
  await start(first)
  await expect(start(other)).rejects.toThrow(
    /KEY_PEPPER is not the secret that 1 API key was made with.*KEY_PEPPER=2:new,1:former/,
  )
  await start(first)
})

test('a pepper of a higher version is accepted beside the former one, and alone', async () => {
  await start(first)
  await keyMadeWith(first)
  await start(parsePeppers('2:quite another secret,1:the first secret of all'))
  await start(parsePeppers('2:quite another secret'))
  await expect(start(parsePeppers('2:a third secret here,1:wrong former secret'))).rejects.toThrow(
    /KEY_PEPPER/,
  )
})

test('a secret without a working key may change', async () => {
  await start(first)
  await start(other)
  const { accountId, keyId } = await keyMadeWith(other)
  await expect(start(first)).rejects.toThrow(/KEY_PEPPER/)
  await inTx((tx) => revokeKey(tx, keyId, accountId))
  await start(first)
})

test('working keys of a version that the setting lacks are counted, revoked ones are not', async () => {
  const both = parsePeppers('2:quite another secret,1:the first secret of all')
  const { accountId, keyId } = await keyMadeWith(first)
  await inTx((tx) => createKey(tx, both, accountId, { name: 'new', scopes: [], reach: { kind: 'owner' } }))
  const without = (text: string) => keysWithoutPepper(db.database.system, parsePeppers(text))
  expect(await without('2:quite another secret,1:the first secret of all')).toBe(0)
  expect(await without('2:quite another secret')).toBe(1)
  await inTx((tx) => revokeKey(tx, keyId, accountId))
  expect(await without('2:quite another secret')).toBe(0)
})
