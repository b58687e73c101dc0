import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { agentPrompt, litePrompt } from '../../src/agent/prompts/prompts.ts'
import { estimateTokens } from '../../src/agent/tokens.ts'
import type { Database } from '../../src/db/client.ts'
import type { LibraryDatabase } from '../../src/db/library/library-database.ts'
import { specsOf } from '../../src/turns/drive/turn-tools.ts'

const specs = specsOf({ database: {} as Database, library: {} as LibraryDatabase, plans: builtInPlans })

test('each tool of the agent has a file with its description, and each such file a tool', () => {
  const files = readdirSync('src/agent/prompts/tools').map((name) => name.replace('.md', ''))
  expect(files.toSorted()).toEqual(specs.map(({ name }) => name).toSorted())
  for (const { description } of specs) expect(description).toMatch(/^[A-Z][^\n]+\.$/)
})

test('the prompts stay as short as they were, because each turn is charged with them', () => {
  expect(estimateTokens(agentPrompt().text)).toBeLessThanOrEqual(569)
  expect(estimateTokens(litePrompt().text)).toBeLessThanOrEqual(56)
})
