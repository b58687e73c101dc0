import { beforeAll, expect, test } from 'vitest'
import { form, send } from '../support/http-raw.ts'
import { reply } from '../support/upstream-scripts.ts'
import type { TestVisitor } from '../support/visitor.ts'
import { newPerson } from '../support/world/person.ts'
import { makeSession, ownerKey } from '../support/world/things.ts'
import { useWorld } from '../support/world/world.ts'

let owner: TestVisitor
let key: string

const world = useWorld({ script: () => reply('An answer.'), web: { signUpPlan: 'pro' } })
beforeAll(async () => {
  const { visitor, accountId } = await newPerson(world, 'files@example.org')
  owner = visitor
  key = await ownerKey(world.db, accountId)
})

const project = async () =>
  (await world.row<{ id: string }>(`select id from projects order by created_at limit 1`)).id

/** Opens an address many times at once. */
async function statusesOf(path: string, count: number): Promise<readonly number[]> {
  const responses = await Promise.all(Array.from({ length: count }, () => owner.get(path)))
  return responses.map(({ status }) => status)
}

async function upload(content: string): Promise<string> {
  const parts = form([{ name: 'file', filename: 'a.pdf', content, type: 'application/pdf' }])
  return JSON.parse((await send(world.service, { method: 'POST', path: '/v1/files', key, ...parts })).text).id
}

test('an account can have five files of conversations made at the same time; others are refused', async () => {
  await upload('a text')
  const sessionId = await makeSession(world.service, { key, projectId: await project() })
  const statuses = await statusesOf(`/sessions/${sessionId}/export?format=docx`, 30)
  expect(statuses).toContain(429)
  expect(statuses.filter((status) => status !== 429).length).toBeGreaterThanOrEqual(5)
  expect(await statusesOf(`/sessions/${sessionId}/export`, 1)).toEqual([200])
})

test('an account can have nine documents read for its pages at the same time; others are refused', async () => {
  const id = await upload('%PDF-1.4\n')
  const statuses = await statusesOf(`/files/${id}`, 30)
  expect(statuses).toContain(429)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(9)
})
