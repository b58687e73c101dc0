import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { useClientWorld } from '../support/conformance.ts'
import { runProgram } from '../support/programs.ts'
import { citedAnswer, questions } from '../support/questions.ts'

const world = useClientWorld()

test.skipIf(!existsSync(path.join(import.meta.dirname, 'node_modules')))(
  'Genkit shows the answer, its source and its tokens, twice (npm run test:clients:full)',
  async () => {
    const place = await world().place()
    const ask = path.join(import.meta.dirname, 'ask.mjs')
    const output = await runProgram(place, { file: process.execPath, args: [ask, questions.cited] })
    const { whole, streamed, tokens } = JSON.parse(output) as Readonly<Record<string, string | number>>
    expect(whole).toContain(citedAnswer.text)
    expect(streamed).toBe(whole)
    expect(tokens).toBeGreaterThan(0)
    expect((await place.runs()).map(({ status }) => status)).toEqual(['completed', 'completed'])
  },
)
