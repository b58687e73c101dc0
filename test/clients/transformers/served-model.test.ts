import path from 'node:path'
import OpenAI from 'openai'
import { beforeAll, expect, it } from 'vitest'
import { useFolder } from '../../support/folder.ts'
import { useWorld } from '../../support/world/world.ts'
import { writeTinyModel } from './tiny-model.ts'

const folder = useFolder()
const model = `local:${folder}`
const world = useWorld({ processes: true })
let openai: OpenAI

/** The service as people start it, in a process that finds the package in this folder. */
beforeAll(async () => {
  await writeTinyModel(folder, { joy: [1, 0, 0], שמחה: [1, 0, 0], awe: [0, 1, 0] })
  const { url } = await world.start({
    EMBEDDINGS_MODEL: model,
    EMBEDDINGS_PRICE: '500',
    NODE_OPTIONS: `--import=${path.join(import.meta.dirname, '../support/resolve-from.ts')}`,
    PACKAGES_OF: import.meta.dirname,
  })
  openai = new OpenAI({ apiKey: world.key, baseURL: `${url}/v1`, maxRetries: 0 })
})

it('clients get the vectors of a local model, and pay for the tokens', async () => {
  const { data, usage, ...rest } = await openai.embeddings.create({ model, input: ['joy', 'שמחה', 'awe'] })
  expect(rest).toMatchObject({ object: 'list', model })
  expect(data.map(({ embedding }) => embedding)).toEqual([
    [1, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
  ])
  expect(usage.total_tokens).toBeGreaterThan(0)
  const cost = usage.total_tokens / 2
  expect(usage).toMatchObject({ cost })
  const charges = await world.rows<{ micros: string }>(
    `select (-allowance_micros - granted_micros)::text as micros from ledger where kind = 'charge'`,
  )
  expect(charges).toEqual([{ micros: `${cost * 1_000_000}` }])
})

it('the list of models names the local model with its price', async () => {
  const { data } = await openai.models.list()
  expect(data.find(({ id }) => id === model)).toMatchObject({
    type: 'embedding',
    pricing: { input: 500_000 },
  })
})

it('token numbers and other dimensions are refused with the reason', async () => {
  const refused = { status: 400, code: 'invalid_value' }
  const tokens = openai.embeddings.create({ model, input: [5, 6] })
  await expect(tokens).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('no token numbers'),
  })
  const other = openai.embeddings.create({ model, input: 'joy', dimensions: 2 })
  await expect(other).rejects.toMatchObject({ ...refused, message: expect.stringContaining('3 dimensions') })
})
