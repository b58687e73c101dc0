import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Catalogue, openCatalogue } from '../../src/models/model-catalogue.ts'
import { samplingFor } from '../../src/models/sampling.ts'
import { useFolder } from '../support/folder.ts'

const folder = useFolder()

const variables: Readonly<Record<string, string>> = { MISTRAL_API_KEY: 'key-of-the-environment' }

async function open(...models: readonly object[]): Promise<Catalogue> {
  const catalogueFile = path.join(folder, 'models.json')
  await writeFile(catalogueFile, JSON.stringify({ models }))
  const catalogue = await openCatalogue({
    baseUrl: undefined,
    apiKey: undefined,
    name: undefined,
    catalogueFile,
    variable: (name) => variables[name],
  })
  onTestFinished(() => catalogue.close())
  return catalogue
}

const local = { id: 'm', base_url: 'http://127.0.0.1:9/v1' }

test.each([
  ['api', { id: 'm', api: 'claude' }],
  ['base_url', { id: 'm', api: 'openai' }],
  ['base_url', { id: 'm', api: 'azure', api_key: 'k' }],
  ['region', { ...local, region: 'eu-west-1' }],
  ['api_version', { ...local, api: 'anthropic', api_version: 'v1' }],
  ['headers', { id: 'm', headers: { 'x-a': 'b' } }],
  ['headers', { ...local, headers: { 'not a name': 'b' } }],
  ['temperature', { id: 'm', temperature: 0.2 }],
  ['reasoning', { ...local, reasoning: { budget_tokens: 2_000 } }],
  ['reasoning', { ...local, api: 'mistral', reasoning: { budget_tokens: 2_000 } }],
  ['reasoning', { ...local, reasoning: 'hard' }],
  ['fallbacks.0.region', { ...local, fallbacks: [{ base_url: local.base_url, region: 'x' }] }],
  ['price.output', { ...local, price: { input: 1, tool_call: 0 } }],
])('a wrong %s is named by its field', async (field, model) => {
  await expect(open(model)).rejects.toThrow(`models.0.${field}`)
})

test('an API without a key in the file or the environment is refused at the start', async () => {
  await expect(open({ id: 'm', api: 'anthropic', name: 'claude' })).rejects.toThrow(
    'Set its `api_key`, or ANTHROPIC_API_KEY.',
  )
  expect((await open({ id: 'm', api: 'mistral' })).find('m')).toBeDefined()
})

test('an API needs no address of a server', async () => {
  const model = (await open({ id: 'm', api: 'google', api_key: 'k', name: 'gemini' })).find('m')
  expect(model?.usesOutsideTools).toBe(true)
})

test("a model's options count where the request has none, and its limit of tokens always", async () => {
  const given = {
    temperature: 0.3,
    top_p: 0.9,
    stop: ['END'],
    seed: 7,
    reasoning: 'off',
    max_output_tokens: 500,
  }
  const model = (await open({ ...local, ...given })).find('m')
  if (!model) throw new Error('no model')
  const defaults = { temperature: 0.3, topP: 0.9, stop: ['END'], seed: 7, reasoningEffort: 'none' }
  expect(samplingFor(model, {})).toEqual({ ...defaults, maxTokens: 500 })
  expect(samplingFor(model, { temperature: 1, maxTokens: 9_000 })).toEqual({
    ...defaults,
    temperature: 1,
    maxTokens: 500,
  })
  expect(samplingFor(model, { maxTokens: 20 }).maxTokens).toBe(20)
})

test('a budget of reasoning is an option of the API, not a level', async () => {
  const entry = { id: 'm', api: 'anthropic', api_key: 'k', reasoning: { budget_tokens: 2_000 } }
  expect((await open(entry)).find('m')?.defaults).toEqual({})
})
