import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { modelCallMicros, nextCallMicros, toolCallPrice } from '../../src/billing/pricing.ts'
import { openCatalogue } from '../../src/models/model-catalogue.ts'

const none = { baseUrl: undefined, apiKey: undefined, name: undefined }

async function catalogueOf(content: unknown) {
  const catalogueFile = path.join(tmpdir(), `models-${process.pid}.json`)
  await writeFile(catalogueFile, JSON.stringify(content))
  return openCatalogue({ ...none, catalogueFile })
}

test('a catalogue prices tokens per thousand, tool calls each, and named tools apart', async () => {
  const price = { input: 0.2, output: 1.5, tool_call: 0.01, tools: { search_sources: 0.5 } }
  const catalogue = await catalogueOf({ models: [{ id: 'dear', price }] })
  const found = catalogue.find('dear')?.price
  if (!found) throw new Error('no model')
  expect(modelCallMicros(found, { promptTokens: 10, completionTokens: 3 })).toBe(10n * 200n + 3n * 1_500n)
  expect(toolCallPrice(found, 'search_sources')).toBe(500_000n)
  expect(toolCallPrice(found, 'read_source')).toBe(10_000n)
  expect(catalogue.find('service'), 'the model that is always there').toBeDefined()
})

test("the next call's maximum cost grows with the prompt up to the client's limit", async () => {
  const price = (await catalogueOf({ models: [] })).find('service')?.price
  if (!price) throw new Error('no model')
  expect(nextCallMicros(price, 2_000, undefined)).toBeGreaterThan(nextCallMicros(price, 1_000, undefined))
  expect(nextCallMicros(price, 1_000, 10)).toBeLessThan(nextCallMicros(price, 1_000, undefined))
})

const plain = { inputMicrosPerToken: 100n, outputMicrosPerToken: 400n, toolCallMicros: 0n }
const apart = {
  ...plain,
  cachedInputMicrosPerToken: 10n,
  cacheWriteMicrosPerToken: 125n,
  reasoningMicrosPerToken: 600n,
}

test('cached, cache-written and reasoning tokens have prices of their own', () => {
  const usage = {
    promptTokens: 1_000,
    completionTokens: 50,
    cachedTokens: 700,
    cacheWriteTokens: 200,
    reasoningTokens: 30,
  }
  expect(modelCallMicros(apart, usage)).toBe(100n * 100n + 700n * 10n + 200n * 125n + 20n * 400n + 30n * 600n)
  expect(modelCallMicros(plain, usage)).toBe(1_000n * 100n + 50n * 400n)
})

test('parts of the tokens never count more than the whole', () => {
  const usage = {
    promptTokens: 10,
    completionTokens: 2,
    cachedTokens: 90,
    cacheWriteTokens: 90,
    reasoningTokens: 90,
  }
  expect(modelCallMicros(apart, usage)).toBe(10n * 10n + 2n * 600n)
})

test.each([
  [0.000_123_4, 10_000_000n, 1_234n],
  [0.000_000_01, 1_000_000n, 1n],
  [0, 1_000_000n, 0n],
  [1e-7, 15_000_000n, 2n],
  [12.5, 1_000_000n, 12_500_000n],
])('a reported cost of %d at %d micro-credits per unit is rounded up to %d', (cost, perUnit, micros) => {
  const price = { ...plain, microsPerProviderUnit: perUnit }
  expect(modelCallMicros(price, { promptTokens: 1_000, completionTokens: 1_000, cost })).toBe(micros)
})

test('a call without a reported cost has the price of its tokens', () => {
  const price = { ...plain, microsPerProviderUnit: 1_000_000n }
  expect(modelCallMicros(price, { promptTokens: 1, completionTokens: 1 })).toBe(500n)
})

test.each([{ cachedTokens: 1_000 }, { cacheWriteTokens: 1_000 }, { reasoningTokens: 100 }, {}])(
  'the hold of a call covers %j',
  (parts) => {
    const usage = { promptTokens: 1_000, completionTokens: 100, ...parts }
    expect(nextCallMicros(apart, 1_000, 100)).toBeGreaterThanOrEqual(modelCallMicros(apart, usage))
  },
)

test("a price by the provider's cost needs no prices of tokens, and `service-lite` has it too", async () => {
  const entry = {
    id: 'service',
    base_url: 'http://127.0.0.1:9/v1',
    price: { provider_cost: 100, cached_input: 0.01 },
  }
  const catalogue = await catalogueOf({ models: [entry] })
  const expected = {
    microsPerProviderUnit: 100_000_000n,
    inputMicrosPerToken: 100n,
    cachedInputMicrosPerToken: 10n,
  }
  expect(catalogue.find('service')?.price).toMatchObject(expected)
  expect(catalogue.find('service-lite')?.price).toMatchObject(expected)
})
