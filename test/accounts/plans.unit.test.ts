import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openPlans } from '../../src/accounts/plans.ts'
import { useFolder } from '../support/folder.ts'

const folder = useFolder()

async function fileWith(rows: unknown): Promise<string> {
  const file = path.join(folder, 'plans.json')
  await writeFile(file, JSON.stringify(rows))
  return file
}

test('a field that a plan of the file leaves out is that of the built-in plan of its name, otherwise of basic', async () => {
  const plans = await openPlans(
    await fileWith({ free: { monthly_credits: 7 }, team: { concurrent_turns: 9 } }),
  )
  expect(plans.of('free')).toMatchObject({ monthlyMicros: 7_000_000n, apiAccess: false, turnsPerMinute: 5 })
  expect(plans.of('team')).toMatchObject({ concurrentTurns: 9, apiAccess: true, turnsPerMinute: 30 })
})

test('a field that plans do not have is refused with its name', async () => {
  const file = await fileWith({ team: { turns_per_hour: 9 } })
  await expect(openPlans(file)).rejects.toThrow(/PLANS_FILE .*turns_per_hour/)
})
