import { asc } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { modelChecks } from '../../db/schema/index.ts'
import type { ModelCheck } from './model-check.ts'

/** Keeps the result as the last one of its model. @param executor must see all accounts. */
export async function storeCheck(executor: Executor, result: ModelCheck): Promise<void> {
  const row = { model: result.model, checkedAt: new Date(result.checked_at), result }
  await executor.insert(modelChecks).values(row).onConflictDoUpdate({ target: modelChecks.model, set: row })
}

/** The last result of each model that was ever checked. @param executor must see all accounts. */
export async function lastChecks(executor: Executor): Promise<readonly ModelCheck[]> {
  const rows = await executor.select().from(modelChecks).orderBy(asc(modelChecks.model))
  return rows.map(({ result }) => result as ModelCheck)
}
