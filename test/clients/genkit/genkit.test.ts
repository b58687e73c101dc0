import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { useClientWorld } from '../support/conformance.ts'
import { expectBothAnswers } from '../support/programs.ts'

const world = useClientWorld()

test.skipIf(!existsSync(path.join(import.meta.dirname, 'node_modules')))(
  'Genkit shows the answer, its source and its tokens, twice (npm run test:clients:full)',
  async () => {
    const ask = path.join(import.meta.dirname, 'ask.mjs')
    expect((await expectBothAnswers(world(), process.execPath, [ask])).tokens).toBeGreaterThan(0)
  },
)
