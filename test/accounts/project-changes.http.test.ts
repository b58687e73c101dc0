import { afterAll, beforeAll, expect, test } from 'vitest'
import { scopes } from '../../src/accounts/scopes.ts'
import { comparable, errorOf, form, send, sendJson } from '../support/http-raw.ts'
import { checkInvariants } from '../support/invariants.ts'
import { gate, reply } from '../support/upstream-scripts.ts'
import { question } from '../support/world/requests.ts'
import {
  makeFile,
  makeKeyWithId,
  makeOwner,
  makeThings,
  newProject,
  type Things,
} from '../support/world/things.ts'
import { answerText, unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

let owner: { readonly accountId: string; readonly key: string }

const world = useWorld(unhurried)
beforeAll(async () => {
  owner = await makeOwner(world.db)
})
afterAll(async () => {
  expect(await checkInvariants(world.db.database)).toEqual([])
})

const api = (key: string, method: string, path: string, body?: unknown) =>
  body === undefined
    ? send(world.service, { method, path, key })
    : sendJson(world.service, { method, path, key, body })
const ask = (key: string, projectId?: string, text = 'What is a beinoni?') =>
  api(key, 'POST', '/v1/chat/completions', {
    ...question(text),
    ...(projectId !== undefined && { x_service: { project_id: projectId } }),
  })

test('PATCH gives a project another name, and refuses an empty one', async () => {
  const id = await newProject(world.service, owner)
  const renamed = await api(owner.key, 'PATCH', `/v1/projects/${id}`, { name: '  Study notes ' })
  expect([renamed.status, JSON.parse(renamed.text)]).toMatchObject([
    200,
    { id, object: 'project', name: 'Study notes' },
  ])
  expect((await api(owner.key, 'PATCH', `/v1/projects/${id}`, { name: ' ' })).status).toBe(400)
  expect(JSON.parse((await api(owner.key, 'GET', `/v1/projects/${id}`)).text).name).toBe('Study notes')
})

/** Each route that takes an id, with the ids of what was in the project. */
const paths = (t: Things) =>
  [
    ['GET', `/v1/projects/${t.projectId}`],
    ['PATCH', `/v1/projects/${t.projectId}`, { name: 'N' }],
    ['DELETE', `/v1/projects/${t.projectId}`],
    ['GET', `/v1/agent/sessions/${t.sessionId}`],
    ['GET', `/v1/agent/sessions/${t.sessionId}/messages`],
    ['GET', `/v1/agent/runs/${t.runId}`],
    ['GET', `/v1/agent/runs/${t.runId}/events`],
    ['GET', `/v1/responses/${t.runId.replace('run_', 'resp_')}`],
    ['GET', `/v1/files/${t.fileId}`],
    ['GET', `/v1/files/${t.fileId}/content`],
    ['POST', '/v1/agent/sessions', { projectId: t.projectId }],
    ['POST', '/v1/chat/completions', { ...question('?'), x_service: { project_id: t.projectId } }],
    ['POST', '/v1/chat/completions', { ...question('?'), x_service: { session_id: t.sessionId } }],
    ['POST', '/v1/responses', { model: 'service', input: '?', x_service: { project_id: t.projectId } }],
  ] as const

test('ids of a deleted project and its contents answer byte for byte like unknown ids', async () => {
  const things = await makeThings(world.db, world.service, owner)
  const usageBefore = (await api(owner.key, 'GET', '/v1/usage?group_by=model')).text
  const gone = await api(owner.key, 'DELETE', `/v1/projects/${things.projectId}`)
  expect([gone.status, JSON.parse(gone.text)]).toEqual([
    200,
    { id: things.projectId, object: 'project', deleted: true },
  ])
  const unknown = Object.fromEntries(
    Object.entries(things).map(([name, id]) => [name, `${id.slice(0, -4)}zzzz`]),
  ) as Things
  const others = paths(unknown)
  for (const [i, [method, path, body]] of paths(things).entries()) {
    const [, otherPath = '', otherBody] = others[i] ?? []
    const first = comparable(await api(owner.key, method, path, body))
    expect(first, path).toMatchObject({ status: 404 })
    expect(first, path).toEqual(comparable(await api(owner.key, method, otherPath, otherBody)))
  }
  for (const list of ['projects', 'agent/sessions', 'files'])
    expect((await api(owner.key, 'GET', `/v1/${list}?limit=100`)).text).not.toContain(things.projectId)
  // What was charged stays.
  expect((await api(owner.key, 'GET', '/v1/usage?group_by=model')).text).toBe(usageBefore)
  for (const table of ['sessions', 'runs', 'files'])
    expect(await world.rows(`select 1 from ${table} where project_id = $1`, things.projectId)).toEqual([])
  const leftovers = `select 1 from run_log where run_id = $1
    union all select 1 from messages where session_id = $2`
  expect(await world.rows(leftovers, things.runId, things.sessionId)).toEqual([])
})

test('DELETE is refused while a turn in the project runs, and changes nothing', async () => {
  const things = await makeThings(world.db, world.service, owner)
  const held = gate()
  world.upstream.enqueue([{ waitFor: held.opened }, ...reply(answerText)])
  const asked = world.upstream.requests.length
  const running = ask(owner.key, things.projectId, 'Who runs?')
  await expect.poll(() => world.upstream.requests.length - asked).toBe(1)
  const refused = await api(owner.key, 'DELETE', `/v1/projects/${things.projectId}`)
  expect([refused.status, errorOf(refused)?.code, refused.headers['x-should-retry']]).toEqual([
    409,
    'project_busy',
    'false',
  ])
  expect((await api(owner.key, 'GET', `/v1/files/${things.fileId}`)).status).toBe(200)
  held.open()
  expect((await running).status).toBe(200)
  expect((await api(owner.key, 'DELETE', `/v1/projects/${things.projectId}`)).status).toBe(200)
})

test('deleting a project revokes its keys; an owner-wide key gets a new project', async () => {
  const dedicated = await makeKeyWithId(world.db, owner.accountId, { kind: 'dedicated' })
  const wide = await makeKeyWithId(world.db, owner.accountId, { kind: 'owner' }, scopes)
  const ownProject = async (id: string) =>
    (await world.row<{ project: string }>('select project_id as project from api_keys where id = $1', id))
      .project
  for (const { key } of [dedicated, wide]) expect((await ask(key)).status).toBe(200)
  const bound = await makeKeyWithId(world.db, owner.accountId, {
    kind: 'project',
    projectId: await ownProject(dedicated.id),
  })
  for (const id of [dedicated.id, wide.id])
    expect((await api(wide.key, 'DELETE', `/v1/projects/${await ownProject(id)}`)).status).toBe(200)
  for (const { key } of [dedicated, bound]) expect((await ask(key)).status).toBe(401)
  expect((await ask(wide.key)).status).toBe(200)
  const parts = form([{ name: 'file', filename: 'a.txt', content: 'text' }])
  expect(
    (await send(world.service, { method: 'POST', path: '/v1/files', key: wide.key, ...parts })).status,
  ).toBe(200)
  expect((await api(wide.key, 'GET', `/v1/projects/${await ownProject(wide.id)}`)).status).toBe(200)
})

test("requests during a project's deletion succeed or find no project, without a 500", async () => {
  for (let round = 0; round < 6; round += 1) {
    const projectId = await newProject(world.service, owner)
    const place = { key: owner.key, projectId }
    await makeFile(world.service, place)
    const wide = await makeKeyWithId(world.db, owner.accountId, { kind: 'owner' }, scopes)
    await world.rows('update api_keys set project_id = $1 where id = $2', projectId, wide.id)
    const upload = form([
      { name: 'project_id', value: projectId },
      { name: 'file', filename: 'b.txt', content: 'text' },
    ])
    const meeting = [
      ...Array.from({ length: 4 }, () => ask(owner.key, projectId)),
      ...Array.from({ length: 4 }, () => ask(wide.key)),
      ...Array.from({ length: 4 }, () => api(owner.key, 'POST', '/v1/agent/sessions', { projectId })),
      ...Array.from({ length: 4 }, () =>
        send(world.service, { method: 'POST', path: '/v1/files', key: owner.key, ...upload }),
      ),
    ]
    const deletion = api(owner.key, 'DELETE', `/v1/projects/${projectId}`)
    const statuses = (await Promise.all(meeting)).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([])
    expect([200, 409]).toContain((await deletion).status)
  }
})
