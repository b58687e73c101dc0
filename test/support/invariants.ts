import { examine, type Violation } from '../../src/billing/checks/examine.ts'
import { type Database, withTx } from '../../src/db/client.ts'

/**
 * Broken rules of money and runs.
 * @throws when a rule could not be checked.
 */
export async function findViolations(database: Database): Promise<readonly Violation[]> {
  const { broken, unchecked } = await withTx(database, 'system', (tx) => examine(tx))
  if (unchecked.length > 0) throw new Error(`not checked: ${JSON.stringify(unchecked)}`)
  return broken
}

/**
 * Checks the rules of money and runs, which hold between any two transactions.
 * @returns one line per broken rule, with its rows.
 */
export async function checkInvariants(database: Database): Promise<string[]> {
  const violations = await findViolations(database)
  return violations.map(({ invariant, rows }) => `${invariant}: ${JSON.stringify(rows)}`)
}
