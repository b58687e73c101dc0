import { beforeAll, expect, test } from 'vitest'
import { findKeys } from '../../src/accounts/keys/key-list.ts'
import { withTx } from '../../src/db/client.ts'
import { revokeKeyAndTurns } from '../../src/turns/sessions/suspension.ts'
import { runLine } from '../support/command-line.ts'
import { callTools, gate, reply, stall } from '../support/scripted-upstream.ts'
import { makeAccount, makeKey, makeProject } from '../support/world/accounts.ts'
import { newPerson } from '../support/world/person.ts'
import { call, question } from '../support/world/requests.ts'
import { useWorld, type World } from '../support/world/world.ts'

let { db, upstream, service } = {} as World

const world = useWorld()
beforeAll(async () => {
  ;({ db, upstream, service } = world)
  upstream.setDefault(() => reply('never asked for'))
})

test('a turn whose key expires stops before its next model call and pays its steps', async () => {
  const { id: accountId } = await makeAccount(db.database)
  const key = await makeKey(db.database, accountId)
  const held = gate()
  const [toolStep] = callTools([{ name: 'list_files', arguments: {} }])
  if (!toolStep) throw new Error('the script has no action')
  upstream.enqueue([{ waitFor: held.opened }, toolStep])
  const asked = upstream.requests.length
  const running = call(service, key, 'POST', '/v1/chat/completions', question('List the files'))
  await expect.poll(() => upstream.requests.length - asked).toBe(1)
  await world.rows('update api_keys set expires_at = now() where account_id = $1', accountId)
  held.open()
  const body = (await (await running).json()) as { usage: { cost: number }; x_service: { status: string } }
  expect(body.x_service.status).toBe('cancelled')
  expect(body.usage.cost).toBeGreaterThan(0)
  expect(upstream.requests.length - asked).toBe(1)
  expect((await call(service, key, 'GET', '/v1/models')).status).toBe(401)
})

test('revoking a key stops its running and queued turns at once, on every replica', async () => {
  const { id: accountId } = await makeAccount(db.database)
  const projectId = await makeProject(db.database, accountId)
  const keys = {
    leaked: await makeKey(db.database, accountId, { reach: { kind: 'project', projectId } }),
    kept: await makeKey(db.database, accountId, { reach: { kind: 'project', projectId } }),
  }
  const { rows: infos } = await db.database.systemPool.query<{ id: string; last_four: string }>(
    'select id, last_four from api_keys where account_id = $1',
    [accountId],
  )
  const leakedId = infos.find((info) => keys.leaked.endsWith(info.last_four))?.id ?? ''
  const statuses = async () =>
    (
      await world.rows<{ status: string }>(
        'select status from runs where account_id = $1 and api_key_id = $2 order by turn',
        accountId,
        leakedId,
      )
    ).map(({ status }) => status)
  const other = await world.start()
  try {
    const held = gate()
    const asked = upstream.requests.length
    upstream.enqueue([{ waitFor: held.opened }, { text: 'Kept.' }], stall('Half of it'))
    const kept = call(service, keys.kept, 'POST', '/v1/chat/completions', question('Of the other key'))
    await expect.poll(() => upstream.requests.length - asked).toBe(1)
    const running = call(other, keys.leaked, 'POST', '/v1/chat/completions', question('Running'))
    await expect.poll(() => upstream.requests.length - asked).toBe(2)
    const { session } = await world.row<{ session: string }>(
      'select session_id as session from runs where api_key_id = $1',
      leakedId,
    )
    const queued = call(service, keys.leaked, 'POST', '/v1/chat/completions', {
      ...question('Queued'),
      x_service: { session_id: session },
    })
    await expect.poll(statuses).toEqual(['in_progress', 'queued'])

    const revoked = await withTx(db.database, 'system', (tx) => revokeKeyAndTurns(tx, leakedId))
    expect(revoked).toEqual({ accountId, turnsStopped: 2 })
    const ended = await Promise.all([running, queued].map(async (turn) => (await turn).json()))
    expect(ended.map((body) => (body as { x_service?: { status: string } }).x_service?.status)).toEqual([
      'cancelled',
      'cancelled',
    ])
    expect(await statuses()).toEqual(['cancelled', 'cancelled'])
    held.open()
    expect(await (await kept).json()).toMatchObject({ choices: [{ message: { content: 'Kept.' } }] })
  } finally {
    await other.stop()
  }
})

test('revoking a key on its page or by command stops its turn', async () => {
  const { visitor, accountId } = await newPerson(world, 'revokes@example.org', `plan = 'pro'`)
  for (const revoke of [
    (id: string) => visitor.post(`/settings/keys/${id}/revoke`, {}),
    (id: string) => runLine(db, ['keys', 'revoke', id]),
  ]) {
    const key = await makeKey(db.database, accountId)
    const page = await findKeys(db.database.system, accountId, { q: '', state: '' }, { limit: 1 })
    const [info] = page.items
    upstream.enqueue(stall('Half of it'))
    const asked = upstream.requests.length
    const running = call(service, key, 'POST', '/v1/chat/completions', question('Running'))
    await expect.poll(() => upstream.requests.length - asked).toBe(1)
    await revoke(info?.id ?? '')
    expect(await (await running).json()).toMatchObject({ x_service: { status: 'cancelled' } })
  }
})

test('a turn that runs out of credits ends with `length` and says so', async () => {
  const { id: accountId } = await makeAccount(db.database, 'basic')
  const key = await makeKey(db.database, accountId)
  const usage = { prompt_tokens: 10, completion_tokens: 200_000 }
  upstream.enqueue(callTools([{ name: 'list_files', arguments: {} }], { usage }))
  const asked = upstream.requests.length
  const response = await call(service, key, 'POST', '/v1/chat/completions', question('Costly'))
  const body = (await response.json()) as {
    choices: { finish_reason: string; message: { content: string } }[]
  }
  expect(body.choices[0]?.finish_reason).toBe('length')
  expect(body.choices[0]?.message.content).toMatch(/credits/)
  expect(upstream.requests.length - asked).toBe(1)
})
