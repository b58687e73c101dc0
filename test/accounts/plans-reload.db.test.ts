import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { useDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import { makeAccount, pepperText } from '../support/world/accounts.ts'

const folder = useFolder()
let installation: Installation

const db = useDatabase()
beforeAll(async () => {
  await write({ team: { requests_per_minute: 7 }, spare: {} })
  const config = readConfig({ DATABASE_URL: db.url, KEY_PEPPER: pepperText, PLANS_FILE: file() })
  installation = await openInstallation(config, pino({ level: 'silent' }))
  await makeAccount(db.database, 'team', installation.plans)
})
afterAll(() => installation.close())

const file = () => path.join(folder, 'plans.json')
const write = (rows: unknown) => writeFile(file(), JSON.stringify(rows))

test('plans that are read again change limits, and may lose a plan that no account has', async () => {
  const before = installation.plans.of('team')
  await write({ team: { requests_per_minute: 9 } })
  await installation.reloadPlans()
  expect(installation.plans.of('team').requestsPerMinute).toBe(9)
  expect(before.requestsPerMinute).toBe(7)
  expect(installation.plans.names).not.toContain('spare')
})

test('plans without one that accounts have are refused, and the old ones stay', async () => {
  await write({ other: {} })
  await expect(installation.reloadPlans()).rejects.toThrow(/plans that do not exist: team/)
  expect(installation.plans.of('team').requestsPerMinute).toBe(9)
})
