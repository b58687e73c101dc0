import { and, asc, eq } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { budgetPeriods, budgets, projects } from '../db/schema/index.ts'
import { notFound } from '../errors.ts'
import type { CapPeriod } from './key-spending.ts'

export { budgetPeriods }

/** What an owner means to spend in a period. `projectId` is empty for the whole account. */
export type Budget = {
  readonly projectId: string
  readonly period: CapPeriod
  readonly micros: bigint
}

/** The budgets of an account, those of the whole account first. */
export function listBudgets(executor: Executor, accountId: string): Promise<Budget[]> {
  return executor
    .select({ projectId: budgets.projectId, period: budgets.period, micros: budgets.micros })
    .from(budgets)
    .where(eq(budgets.accountId, accountId))
    .orderBy(asc(budgets.projectId), asc(budgets.period))
}

/**
 * Sets the budget of an account or a project for a period, or removes it.
 * @param budget.micros above zero; null removes it.
 * @throws ServiceError `not_found` for a project that the account does not have.
 */
export async function setBudget(
  executor: Executor,
  accountId: string,
  { projectId, period, micros }: Omit<Budget, 'micros'> & { readonly micros: bigint | null },
): Promise<void> {
  if (projectId !== '') {
    const mine = and(eq(projects.id, projectId), eq(projects.accountId, accountId))
    if ((await executor.$count(projects, mine)) === 0) throw notFound('project_id')
  }
  if (micros === null) {
    const named = [
      eq(budgets.accountId, accountId),
      eq(budgets.projectId, projectId),
      eq(budgets.period, period),
    ]
    await executor.delete(budgets).where(and(...named))
    return
  }
  await executor
    .insert(budgets)
    .values({ accountId, projectId, period, micros })
    .onConflictDoUpdate({ target: [budgets.accountId, budgets.projectId, budgets.period], set: { micros } })
}
