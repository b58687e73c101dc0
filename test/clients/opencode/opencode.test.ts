import { existsSync } from 'node:fs'
import path from 'node:path'
import { test } from 'vitest'
import { useClientWorld } from '../support/conformance.ts'
import { expectCitedAnswer } from '../support/programs.ts'

const world = useClientWorld()
const file = path.join(import.meta.dirname, 'node_modules/opencode-linux-x64/bin/opencode')

/** The configuration of docs/clients.md. */
const config = (baseURL: string) => ({
  provider: {
    service: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL, apiKey: '{env:API_KEY}' },
      models: { service: {} },
    },
  },
  model: 'service/service',
  small_model: 'service/service',
})

test.skipIf(!existsSync(file))(
  'opencode shows the answer and its source (npm run test:clients:full)',
  async () => {
    await expectCitedAnswer(world(), ({ baseUrl }, question) => ({
      file,
      args: ['run', question],
      files: { 'opencode.json': JSON.stringify(config(baseUrl)) },
    }))
  },
)
