import type OpenAI from 'openai'
import { beforeAll, expect, test } from 'vitest'
import { clientOf, serviceOf } from '../support/responses.ts'
import { toldIn } from '../support/told.ts'
import { error, gate, reply } from '../support/upstream-scripts.ts'
import { useWorld } from '../support/world/world.ts'

let openai: OpenAI

const world = useWorld()
beforeAll(async () => {
  openai = clientOf(world)
})

const model = 'service'

/** What the model was told, but for the service's own words. */
const told = (index: number) => toldIn(world.upstream.requests[index]?.body)

test('previous_response_id goes on in its session; instructions are for one turn only', async () => {
  const from = world.upstream.requests.length
  world.upstream.enqueue(reply('First.'), reply('Second.'), reply('Third.'))
  const first = await openai.responses.create({ model, input: 'One', instructions: 'Be brief.' })
  const second = await openai.responses.create({
    model,
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Two' }] }],
    instructions: 'Be long.',
    previous_response_id: first.id,
  })
  expect(second).toMatchObject({ previous_response_id: first.id, instructions: 'Be long.' })
  const history = [
    { role: 'user' as const, content: 'One' },
    { role: 'assistant' as const, content: 'First.' },
    { role: 'user' as const, content: 'Two' },
    { role: 'assistant' as const, content: 'Changed by the client' },
    { role: 'user' as const, content: 'Three' },
  ]
  const third = await openai.responses.create({
    model,
    input: history,
    previous_response_id: second.id,
  })
  expect(new Set([first, second, third].map((r) => serviceOf(r).session_id)).size).toBe(1)
  expect(told(from)).toEqual([
    ['system', 'Be brief.'],
    ['user', 'One'],
  ])
  expect(told(from + 1)).toEqual([
    ['system', 'Be long.'],
    ['user', 'One'],
    ['assistant', 'First.'],
    ['user', 'Two'],
  ])
  expect(told(from + 2)).toEqual([
    ['user', 'One'],
    ['assistant', 'First.'],
    ['user', 'Two'],
    ['assistant', 'Second.'],
    ['user', 'Three'],
  ])
})

test('responses that continue the same one do not see each other', async () => {
  world.upstream.enqueue(reply('Root.'))
  const root = await openai.responses.create({ model, input: 'Root?' })
  const from = world.upstream.requests.length
  world.upstream.setDefault((body) => reply(`To ${body.messages.at(-1)?.content}`))
  const ask = (input: string) =>
    openai.responses.create({ model, input, previous_response_id: root.id, instructions: input })
  const branches = [...(await Promise.all([ask('A'), ask('B'), ask('C')])), await ask('D')]
  expect(branches.map((branch) => branch.output_text).toSorted()).toEqual(['To A', 'To B', 'To C', 'To D'])
  expect(new Set(branches.map((branch) => serviceOf(branch).session_id)).size).toBe(4)
  const sessions = branches.map((branch) => serviceOf(branch).session_id)
  expect(sessions).toContain(serviceOf(root).session_id)
  for (let i = from; i < from + 4; i += 1) {
    const [, [, question] = []] = [told(i)?.at(0), told(i)?.at(-1)]
    expect(told(i)).toEqual([
      ['system', question],
      ['user', 'Root?'],
      ['assistant', 'Root.'],
      ['user', question],
    ])
  }
  const [branch] = branches.filter((one) => serviceOf(one).session_id !== serviceOf(root).session_id)
  const next = await openai.responses.create({ model, input: 'Next', previous_response_id: branch?.id ?? '' })
  expect(serviceOf(next).session_id).toBe(serviceOf(branch ?? {}).session_id)
  expect(told(from + 4)?.slice(0, 2)).toEqual([
    ['user', 'Root?'],
    ['assistant', 'Root.'],
  ])
  world.upstream.setDefault(error(400, 'no script'))
})

test('a failed turn does not stand between a response and what goes on from it', async () => {
  world.upstream.enqueue(reply('Root.'), error(400, 'no'), reply('Well.'))
  const root = await openai.responses.create({ model, input: 'Root?' })
  const previous_response_id = root.id
  await expect(openai.responses.create({ model, input: 'Fail', previous_response_id })).rejects.toThrow()
  const next = await openai.responses.create({ model, input: 'Again', previous_response_id })
  expect(serviceOf(next).session_id).toBe(serviceOf(root).session_id)
})

test('a continuation waits for an unfinished response; a second branch is refused', async () => {
  const held = gate()
  world.upstream.enqueue([{ waitFor: held.opened }, { text: 'Root.' }], reply('After it.'))
  const root = await openai.responses.create({ model, input: 'Root?', background: true })
  const ask = (input: string) =>
    openai.responses.create({ model, input, previous_response_id: root.id, background: true })
  const waiting = await ask('One')
  expect(waiting.status).toBe('queued')
  await expect(ask('Two')).rejects.toMatchObject({ status: 409, code: 'session_busy' })
  held.open()
  const ended = () => openai.responses.retrieve(waiting.id)
  await expect.poll(async () => (await ended()).output_text).toBe('After it.')
  world.upstream.enqueue(reply('Branch.'))
  const branch = await ask('Two')
  expect(serviceOf(branch).session_id).not.toBe(serviceOf(root).session_id)
})
