import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { useClientWorld } from '../support/conformance.ts'
import { expectCitedAnswer } from '../support/programs.ts'

const world = useClientWorld()
const file = path.join(import.meta.dirname, 'node_modules/.bin/codex')

/** The configuration of docs/clients.md. */
const config = (baseUrl: string) => `
model = "service"
model_provider = "service"
[model_providers.service]
name = "service"
base_url = "${baseUrl}"
env_key = "API_KEY"
wire_api = "responses"
`

test.skipIf(!existsSync(file))(
  'Codex with its hosted tools shows the answer and its source (npm run test:clients:full)',
  async () => {
    const runs = await expectCitedAnswer(world(), ({ baseUrl }, question) => ({
      file,
      args: ['exec', '--skip-git-repo-check', question],
      files: { 'config.toml': config(baseUrl) },
      env: { CODEX_HOME: '{folder}' },
    }))
    expect(runs).toHaveLength(1)
  },
)
