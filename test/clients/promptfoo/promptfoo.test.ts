import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { useClientWorld } from '../support/conformance.ts'
import { runProgram } from '../support/programs.ts'
import { citedAnswer, questions } from '../support/questions.ts'

const world = useClientWorld()
const file = path.join(import.meta.dirname, 'node_modules/.bin/promptfoo')

/** The configuration of docs/clients.md, with one question over each API. */
const config = (apiBaseUrl: string) => ({
  prompts: ['{{question}}'],
  providers: ['openai:chat:service', 'openai:responses:service'].map((id) => ({
    id,
    config: { apiBaseUrl, apiKeyEnvar: 'API_KEY' },
  })),
  tests: [{ vars: { question: questions.cited }, assert: [{ type: 'contains', value: citedAnswer.text }] }],
})

test.skipIf(!existsSync(file))(
  'promptfoo evaluates answers over both APIs (npm run test:clients:full)',
  async () => {
    const place = await world().place()
    const output = await runProgram(place, {
      file: process.execPath,
      args: [file, 'eval', '--no-cache', '--no-table'],
      files: { 'promptfooconfig.json': JSON.stringify(config(place.baseUrl)) },
      env: { PROMPTFOO_DISABLE_TELEMETRY: '1', PROMPTFOO_DISABLE_UPDATE: '1' },
    })
    expect(output).toContain('2 passed (100%)')
    expect((await place.runs()).map(({ status }) => status)).toEqual(['completed', 'completed'])
  },
)
