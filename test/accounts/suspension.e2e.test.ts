import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, test } from 'vitest'
import { commandLine } from '../../src/accounts/audit.ts'
import { openDatabase } from '../../src/db/client.ts'
import { resumeAccount, suspendAccount } from '../../src/turns/sessions/suspension.ts'
import { reply, stall } from '../support/scripted-upstream.ts'
import { goodPassword, openVisitor } from '../support/visitor.ts'
import { makeAccount, makeKey, makeProject } from '../support/world/accounts.ts'
import { newPerson } from '../support/world/person.ts'
import { call, question } from '../support/world/requests.ts'
import { useWorld, type World } from '../support/world/world.ts'

let { db, upstream, service } = {} as World

const world = useWorld()
beforeAll(async () => {
  ;({ db, upstream, service } = world)
  upstream.setDefault(() => reply('An answer.'))
})

const suspended = { status: 403, body: { error: { code: 'account_suspended', type: 'permission_error' } } }
const answerOf = async (response: Response) => ({ status: response.status, body: await response.json() })
const chat = (key: string, body: object) => call(service, key, 'POST', '/v1/chat/completions', body)

test('suspension stops running and queued turns on every replica and charges steps', async () => {
  const { id: accountId } = await makeAccount(db.database)
  const key = await makeKey(db.database, accountId, {
    reach: { kind: 'project', projectId: await makeProject(db.database, accountId) },
  })
  const other = await world.start()
  // The process of a command drives no runs and knows no replica.
  const command = openDatabase({ url: db.url, onIdleError: () => undefined })
  try {
    upstream.enqueue(stall('Half of it'))
    const asked = upstream.requests.length
    const running = call(other, key, 'POST', '/v1/chat/completions', question('Running'))
    await expect.poll(() => upstream.requests.length - asked).toBe(1)
    const unfinished = `select id, session_id as session, status from runs
      where account_id = $1 and status in ('queued', 'in_progress') order by turn`
    const rows = await world.rows<{ session: string }>(unfinished, accountId)
    const waiting = chat(key, { ...question('Queued'), x_service: { session_id: rows[0]?.session } })
    await expect
      .poll(async () => (await db.database.systemPool.query(unfinished, [accountId])).rowCount)
      .toBe(2)

    const { turnsStopped } = await suspendAccount(command, { actor: commandLine, accountId })
    expect(turnsStopped).toBe(2)
    const ended = await Promise.all([running, waiting].map(async (turn) => (await turn).json()))
    expect(ended.map((body) => (body as { x_service?: { status: string } }).x_service?.status)).toEqual([
      'cancelled',
      'cancelled',
    ])
    expect((await db.database.systemPool.query(unfinished, [accountId])).rowCount).toBe(0)
  } finally {
    await command.close()
    await other.stop()
  }
})

test('a key of a suspended account is refused everywhere, cached or not', async () => {
  const { id: accountId } = await makeAccount(db.database)
  const projectId = await makeProject(db.database, accountId)
  const key = await makeKey(db.database, accountId, { reach: { kind: 'project', projectId } })
  // The second start is decided by one call of the database; the key is known to this process for a second.
  expect((await chat(key, question('First'))).status).toBe(200)
  expect((await chat(key, question('Second'))).status).toBe(200)
  await suspendAccount(db.database, { actor: commandLine, accountId })
  expect(await answerOf(await chat(key, question('Third')))).toMatchObject(suspended)
  expect(
    await answerOf(await chat(key, { ...question('Named'), x_service: { project_id: projectId } })),
  ).toMatchObject(suspended)
  expect(await answerOf(await call(service, key, 'GET', '/v1/key'))).toMatchObject(suspended)
  const rows = await world.rows('select count(*)::int as n from runs where account_id = $1', accountId)
  expect(rows).toEqual([{ n: 2 }])

  await resumeAccount(db.database, { actor: commandLine, accountId })
  expect((await chat(key, question('Fourth'))).status).toBe(200)
  expect((await call(service, key, 'GET', `/v1/projects/${projectId}`)).status).toBe(200)
})

test('an upload that is under way when its account is suspended leaves no file', async () => {
  const { id: accountId } = await makeAccount(db.database)
  const projectId = await makeProject(db.database, accountId)
  const key = await makeKey(db.database, accountId, { reach: { kind: 'project', projectId } })
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
  const sent = request(`${service.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' },
  })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  sent.write(`${head}the first half`)
  const versions = async () =>
    (await db.database.systemPool.query('select state from file_versions where account_id = $1', [accountId]))
      .rows
  await expect.poll(versions).toEqual([{ state: 'uploading' }])
  await suspendAccount(db.database, { actor: commandLine, accountId })
  sent.end(', the second half\r\n--b--\r\n')
  const [response] = await answered
  expect({ status: response.statusCode, body: JSON.parse(await text(response)) }).toMatchObject(suspended)
  expect(await versions()).toEqual([])
})

test('no statement writes a run of a suspended account', async () => {
  const { id: accountId } = await makeAccount(db.database)
  const key = await makeKey(db.database, accountId)
  expect((await chat(key, question('Before'))).status).toBe(200)
  await suspendAccount(db.database, { actor: commandLine, accountId })
  const copy = db.database.systemPool.query(
    `insert into runs (id, account_id, project_id, session_id, message_id, turn, model, status, request, hold_micros, most_micros, deadline_at)
     select id || 'x', account_id, project_id, session_id, message_id, turn + 1, model, 'queued', request, 0, 0, now() from runs where account_id = $1`,
    [accountId],
  )
  await expect(copy).rejects.toMatchObject({ code: 'TU002' })
})

test('starts that meet a suspension leave no unfinished turn behind', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id: accountId } = await makeAccount(db.database)
    const key = await makeKey(db.database, accountId)
    expect((await chat(key, question('Warm'))).status).toBe(200)
    const asked = Array.from({ length: 12 }, (_, i) => chat(key, question(`Race ${round} ${i}`)))
    await suspendAccount(db.database, { actor: commandLine, accountId })
    const statuses = await Promise.all(asked.map(async (answer) => (await answer).status))
    expect(statuses.filter((status) => status !== 200 && status !== 403)).toEqual([])
    const { rowCount } = await db.database.systemPool.query(
      `select 1 from runs where account_id = $1 and status in ('queued', 'in_progress')`,
      [accountId],
    )
    expect(rowCount).toBe(0)
  }
})

test('suspension ends browser sessions; only the right password learns of it', async () => {
  const { visitor, accountId } = await newPerson(world, 'suspended@example.org')
  expect((await visitor.get('/projects')).status).toBe(200)
  await suspendAccount(db.database, { actor: commandLine, accountId })
  expect((await visitor.get('/projects')).headers.get('location')).toMatch(/^\/signin/)
  const signIn = async (password: string) => {
    const response = await openVisitor(service).post('/signin', { email: 'suspended@example.org', password })
    return { status: response.status, text: await response.text(), cookie: response.headers.getSetCookie() }
  }
  const right = await signIn(goodPassword)
  expect(right).toMatchObject({ status: 403, cookie: [] })
  expect(right.text).toContain('This account is suspended')
  const wrong = await signIn('another phrase altogether')
  expect(wrong.status).toBe(400)
  expect(wrong.text).not.toContain('suspended.')
  await resumeAccount(db.database, { actor: commandLine, accountId })
  expect((await visitor.get('/projects')).headers.get('location')).toMatch(/^\/signin/)
  expect((await signIn(goodPassword)).status).toBe(303)
})
