import { beforeAll, expect, test } from 'vitest'
import { deleteAccount } from '../../src/accounts/delete-account.ts'
import { goodPassword, openVisitor, signedUp } from '../support/visitor.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { accountOf, newPerson } from '../support/world/person.ts'
import { useWorld, type World } from '../support/world/world.ts'

let { db, service } = {} as World

const world = useWorld({
  model: 'built-in',
  trustProxy: 1,
  web: { signUpPlan: 'basic' },
})
beforeAll(async () => {
  ;({ db, service } = world)
})

const from = (address: string) => ({ 'sec-fetch-site': 'same-origin', 'x-forwarded-for': address })

test('a sign-up over the limit of sign-ins signs the new account in', async () => {
  const headers = from('192.0.2.10')
  for (let n = 0; n < 10; n += 1)
    await openVisitor(service).post('/signin', { email: 'new@example.org', password: `guess ${n}` }, headers)
  const visitor = openVisitor(service)
  const fields = { email: 'new@example.org', password: goodPassword }
  expect((await visitor.post('/signup', fields, headers)).status).toBe(303)
  expect((await visitor.get('/settings/keys')).status).toBe(200)
})

test('a sign-up over the limit of sign-ups makes no account', async () => {
  const statuses: number[] = []
  for (let n = 0; n < 22; n += 1) {
    const fields = { email: `many-${n}@example.org`, password: goodPassword }
    statuses.push((await openVisitor(service).post('/signup', fields, from('192.0.2.11'))).status)
  }
  expect(statuses.slice(0, 20)).toEqual(Array(20).fill(303))
  expect(statuses.slice(20)).toEqual([429, 429])
  expect(await accountOf(world, 'many-20@example.org')).toBe('')
})

test.each([
  'x@deleted.invalid',
  'x@DELETED.invalid ',
  'x@a.deleted.invalid',
  'x@invalid',
  'x@deleted.invalid.',
])('no account is made for %s, which stands for deleted ones', async (email) => {
  const reply = await openVisitor(service).post(
    '/signup',
    { email, password: goodPassword },
    from('192.0.2.12'),
  )
  expect(reply.status).toBe(400)
  expect(await accountOf(world, email.trim().toLowerCase())).toBe('')
})

test.each(['x\u202egro@example.org', 'x\u200b@example.org', 'x\u0085@example.org', 'x@exam\u00adple.org'])(
  'no account is made for %j, which has invisible characters',
  async (email) => {
    const reply = await openVisitor(service).post(
      '/signup',
      { email, password: goodPassword },
      from('192.0.2.12'),
    )
    expect(reply.status).toBe(400)
    expect(await accountOf(world, email)).toBe('')
  },
)

test('an account from before whose address looks deleted is shown to the operator', async () => {
  const { id, email } = await makeAccount(db.database)
  const gone = await makeAccount(db.database)
  await deleteAccount(db.database, { actor: gone.id, accountId: gone.id })
  const pool = db.database.systemPool
  await pool.query(`update accounts set email = 'sly@deleted.invalid' where id = $1`, [id])
  const { visitor: operator } = await newPerson(world, 'operator@example.org', 'operator = true')
  const page = await (await operator.get('/operator?q=deleted')).text()
  expect(page).toContain('sly@deleted.invalid')
  expect(page).not.toContain(gone.id.toLowerCase())
  await pool.query('update accounts set email = $2 where id = $1', [id, email])
})

test("a form with a foreign key's id gets the reply of one with an unknown id", async () => {
  const { id: accountId } = await makeAccount(db.database)
  await makeKey(db.database, accountId)
  const rows = await world.rows<{ id: string }>('select id from api_keys where account_id = $1', accountId)
  const visitor = await signedUp(service, 'prober@example.org')
  const ask = async (id: string) => {
    const fields = { id, name: 'Probe', reach: 'owner', expires: 'never', scopes: 'models:read' }
    const reply = await visitor.post('/settings/keys', fields)
    const text = (await reply.text()).replaceAll(/svc_\w+/g, 'KEY').replaceAll(/nonce="[^"]*"/g, '')
    return { status: reply.status, text }
  }
  const foreign = await ask(rows[0]?.id ?? '')
  expect(foreign.status).toBe(200)
  expect(foreign).toEqual(await ask(`key_${'0'.repeat(24)}`))
  const again = await visitor.post('/settings/keys', {
    ...{ id: rows[0]?.id ?? '', name: 'Probe', reach: 'owner', expires: 'never', scopes: 'models:read' },
  })
  expect(again.headers.get('location')).toBe('/settings/keys?done=made')
})
