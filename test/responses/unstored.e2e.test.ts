import type OpenAI from 'openai'
import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses'
import { beforeAll, expect, test } from 'vitest'
import { removeExpired } from '../../src/operations/retention.ts'
import { chargeOf, clientOf, costOf, runOf, serviceOf } from '../support/responses.ts'
import { callTools, reply } from '../support/upstream-scripts.ts'
import { bodyOf, call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

let openai: OpenAI

const world = useWorld({ script: reply('A secret answer.') })
beforeAll(async () => {
  openai = clientOf(world)
})

const model = 'service'

test('a response shows the parameters that change nothing as they were sent', async () => {
  const sent = {
    truncation: 'auto',
    service_tier: 'flex',
    prompt_cache_key: 'k',
    safety_identifier: 's',
    max_tool_calls: 3,
    temperature: 0.2,
    top_p: 0.5,
    store: false,
  } satisfies Partial<ResponseCreateParamsNonStreaming>
  const penalties = { presence_penalty: 0.25, frequency_penalty: -1 }
  const body = { model, input: 'Echo', ...sent, ...penalties }
  expect(await openai.responses.create(body)).toMatchObject({ ...sent, ...penalties, top_logprobs: 0 })
  expect(await openai.responses.create({ model, input: 'Plain' })).toMatchObject({
    truncation: 'disabled',
    service_tier: 'default',
    prompt_cache_key: null,
    safety_identifier: null,
    max_tool_calls: null,
    presence_penalty: 0,
    frequency_penalty: 0,
    store: true,
  })
})

test('a response with `store: false` is read and continued by nobody', async () => {
  const { id, output } = await openai.responses.create({ model, input: 'A secret', store: false })
  const item = output[0]?.id ?? ''
  const gone = { status: 404, code: 'not_found' }
  await expect(openai.responses.retrieve(id)).rejects.toMatchObject(gone)
  await expect(openai.responses.inputItems.list(id)).rejects.toMatchObject(gone)
  await expect(openai.responses.delete(id)).rejects.toMatchObject(gone)
  await expect(
    openai.responses.create({ model, input: 'More', previous_response_id: id }),
  ).rejects.toMatchObject({ ...gone, param: 'previous_response_id' })
  const input = [
    { type: 'item_reference' as const, id: item },
    { role: 'user' as const, content: 'More' },
  ]
  await expect(openai.responses.create({ model, input })).rejects.toMatchObject(gone)
})

test('a response in the background cannot be one with `store: false`', async () => {
  const asked = openai.responses.create({ model, input: 'Later', store: false, background: true })
  await expect(asked).rejects.toMatchObject({ status: 400, param: 'store' })
})

/** The content of these responses has had its time. */
const rest = (...sessions: readonly string[]) =>
  world.rows(
    `update runs set finished_at = finished_at - interval '16 minutes' where session_id = any($1) returning id`,
    sessions,
  )

test('the content of a response with `store: false` goes, and its run and charge stay', async () => {
  world.upstream.enqueue(
    callTools([{ name: 'search_sources', arguments: { query: 'secret' } }]),
    reply('A secret answer.'),
  )
  const response = await openai.responses.create({
    model,
    input: 'A secret question',
    instructions: 'A secret instruction',
    text: { format: { type: 'text' } },
    store: false,
  })
  const { session_id, run_id } = serviceOf(response)
  expect(await removeExpired(world.db.database)).toBe(0)
  await rest(session_id)
  expect(await removeExpired(world.db.database)).toBe(1)
  expect(await removeExpired(world.db.database)).toBe(0)
  for (const table of ['runs', 'run_log', 'messages', 'sessions']) {
    const of = table === 'sessions' ? 'id = $2' : table === 'runs' ? 'id = $1' : 'run_id = $1'
    const found = await world.rows(
      `select 1 from ${table} t where ${of} and t::text ilike '%secret%' and $1 <> $2`,
      run_id,
      session_id,
    )
    expect([table, found]).toEqual([table, []])
  }
  expect(await chargeOf(world, runOf(response.id))).toBe(costOf(response))
  const run = await bodyOf(call(world.service, world.key, 'GET', `/v1/agent/runs/${run_id}?explain=true`))
  expect(run).toMatchObject({ status: 'completed', usage: { cost: costOf(response) } })
  await expect(openai.responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 })
  expect(await world.broken()).toEqual([])
})

test('a session keeps its stored turns when the content of another one goes', async () => {
  const first = await openai.responses.create({ model, input: 'One' })
  const { session_id } = serviceOf(first)
  const previous_response_id = first.id
  await openai.responses.create({ model, input: 'Two', previous_response_id, store: false })
  await rest(session_id)
  expect(await removeExpired(world.db.database)).toBe(1)
  await openai.responses.create({ model, input: 'Three', conversation: session_id.replace('sess_', 'conv_') })
  const told = world.upstream.requests.at(-1)?.body.messages.slice(1)
  expect(told?.map(({ content }) => content)).toEqual(['One', 'A secret answer.', 'Three'])
})
