import { expect, test } from 'vitest'
import { toolsJson, toolTokens } from '../../../src/agent/tokens.ts'
import { createSourceMarks } from '../../../src/sources/citations/source-marks.ts'
import { turnTools } from '../../../src/turns/drive/turn-tools.ts'

const run = { id: 'run_1', accountId: 'acct_1', projectId: 'proj_1', sessionId: 'sess_1' }
// Only tools that are called use them.
const services = { library: {} } as Parameters<typeof turnTools>[0]

const specsOfTurn = (groups?: Parameters<typeof turnTools>[3], outside?: Parameters<typeof turnTools>[4]) =>
  turnTools(services, run, createSourceMarks(), groups, outside).specs

test('turns with the same tools send the same JSON, which is made once', () => {
  expect(toolsJson(specsOfTurn())).toBe(toolsJson(specsOfTurn()))
  const ofFiles = specsOfTurn(['files'])
  expect(toolsJson(specsOfTurn(['files']))).toBe(toolsJson(ofFiles))
  expect(toolsJson(specsOfTurn(['files', 'sheets']))).toBe(toolsJson(specsOfTurn(['sheets', 'files'])))
  const json = JSON.parse(toolsJson(ofFiles).toString()) as readonly {
    readonly function: { readonly name: string }
  }[]
  expect(json.map((tool) => tool.function.name)).toEqual(ofFiles.map(({ name }) => name))
  expect(toolTokens(ofFiles)).toBeLessThan(toolTokens(specsOfTurn()))
})

test('tools of outside servers come after our own', () => {
  const spec = { name: 'weather_today', description: 'Weather', parameters: { type: 'object' } }
  const outside = { specs: [spec], get: () => undefined, priced: <T>(price: T) => price }
  expect(specsOfTurn(undefined, outside)).toEqual([...specsOfTurn(), spec])
  expect(specsOfTurn(['library'], outside)).not.toContain(spec)
})
