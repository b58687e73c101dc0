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

test('a mistake in the catalogue is named by its field', async () => {
  await expect(catalogueOf({ models: [{ id: 'x', price: { input: 'cheap' } }] })).rejects.toThrow(
    /models.0.price.input/,
  )
})
