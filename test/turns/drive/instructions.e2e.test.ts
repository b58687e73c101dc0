import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentPrompt, instructionText, litePrompt } from '../../../src/agent/prompts/prompts.ts'
import { useFolder } from '../../support/folder.ts'
import { stall } from '../../support/scripted-upstream.ts'
import { bodyOf, call, question } from '../../support/world/requests.ts'
import { ownerKey } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
const folder = useFolder()
let ownerWide: string
const host = 'Speak of our house of study.'

async function instructionsFile(name: string, text: string): Promise<string> {
  const file = path.join(folder, name)
  await writeFile(file, text)
  return file
}

beforeAll(async () => {
  world = await openWorld({
    ...unhurried,
    model: { instructionsFile: await instructionsFile('host.md', host) },
  })
  ownerWide = await ownerKey(world.db, world.accountId)
})
afterAll(() => world.close())

const api = (method: string, route: string, body?: object) =>
  bodyOf(call(world.service, ownerWide, method, route, body))

const projectWith = (instructions: string) => api('POST', '/v1/projects', { name: 'P', instructions })

/** Asks in a project, and returns what the model was told and the run. */
async function ask(projectId: string, model = 'service') {
  const before = world.upstream.requests.length
  const body = { ...question('What is joy?'), model, x_service: { project_id: projectId } }
  const { x_service } = await api('POST', '/v1/chat/completions', body)
  const told = world.upstream.requests[before]?.body.messages[0]
  return { told, run: await api('GET', `/v1/agent/runs/${x_service.run_id}`) }
}

test('a turn is told the prompt, the host’s instructions and the project’s, in this order', async () => {
  const project = await projectWith('  Prefer Breslov.\n')
  const { told, run } = await ask(project.id)
  expect(told).toMatchObject({
    role: 'system',
    content: `${agentPrompt().text}\n\n${host}\n\nPrefer Breslov.`,
  })
  expect(project).toMatchObject({ instructions: 'Prefer Breslov.' })
  expect(run.instructions).toEqual({
    prompt: agentPrompt().own.hash,
    host: instructionText(host).hash,
    project: project.instructions_hash,
  })
})

test('a run names the instructions that it used, and their text stays readable, after an edit and a removal', async () => {
  const project = await projectWith('First.')
  const { run } = await ask(project.id)
  const changed = await api('PATCH', `/v1/projects/${project.id}`, { instructions: 'Second.' })
  expect(changed).toMatchObject({ name: 'P', instructions: 'Second.' })
  expect((await ask(project.id)).told?.content).toMatch(/\n\nSecond\.$/)
  const removed = await api('PATCH', `/v1/projects/${project.id}`, { instructions: null })
  expect(removed).toMatchObject({ instructions: null, instructions_hash: null })
  const last = await ask(project.id)
  expect([last.told?.content, last.run.instructions.project]).toEqual([
    agentPrompt({ text: host, replace: false }).text,
    null,
  ])
  const hash = (await api('GET', `/v1/agent/runs/${run.id}`)).instructions.project
  expect(await api('GET', `/v1/projects/${project.id}/instructions/${hash}`)).toMatchObject({
    object: 'project.instructions',
    hash,
    instructions: 'First.',
  })
})

test('a project is asked by its id for its instructions, and lists omit their text', async () => {
  const project = await projectWith('Be brief.')
  expect(await api('GET', `/v1/projects/${project.id}`)).toEqual(project)
  const { data } = await api('GET', '/v1/projects')
  expect(data[0]).toEqual({ ...project, instructions: undefined })
})

test('one project’s version is not found in another project of the account', async () => {
  const [one, other] = [await projectWith('Only here.'), await projectWith('Only there.')]
  const found = await api('GET', `/v1/projects/${other.id}/instructions/${one.instructions_hash}`)
  expect(found.error).toMatchObject({ code: 'not_found' })
})

test('a turn of a model for utility requests follows no instructions', async () => {
  const { told, run } = await ask((await projectWith('Be brief.')).id, 'service-lite')
  expect(told?.content).toBe(litePrompt().text)
  expect(run.instructions).toMatchObject({ host: null, project: null })
})

test('a replica with other instructions of the host goes on with those that the turn began with', async () => {
  const first = await world.start()
  world.upstream.enqueue(stall())
  const before = world.upstream.requests.length
  const project = await projectWith('Prefer Chabad.')
  const body = { ...question('Which joy?'), x_service: { project_id: project.id, background: true } }
  const { x_service } = await bodyOf(call(first, ownerWide, 'POST', '/v1/chat/completions', body))
  await expect.poll(() => world.upstream.requests.length - before).toBe(1)
  await api('PATCH', `/v1/projects/${project.id}`, { instructions: 'Something else.' })
  const second = await world.start({
    model: { instructionsFile: await instructionsFile('other.md', '---\nreplace: true\n---\nOthers.') },
  })
  await world.service.stop()
  await first.stop()
  await expect.poll(() => world.upstream.requests.length - before).toBe(2)
  const told = world.upstream.requests.slice(before).map(({ body: sent }) => sent.messages[0]?.content)
  expect(told[0]).toMatch(/our house of study\.\n\nPrefer Chabad\.$/)
  expect(told[1]).toBe(told[0])
  await expect
    .poll(
      async () => (await bodyOf(call(second, ownerWide, 'GET', `/v1/agent/runs/${x_service.run_id}`))).status,
    )
    .toBe('completed')
})
