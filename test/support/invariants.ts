import { examine, type Violation } from '../../src/billing/checks/examine.ts'
import type { Invariant } from '../../src/billing/checks/invariants.ts'
import { type Database, withTx } from '../../src/db/client.ts'

/** What breaks the rules of the money and the runs. @throws when one could not be checked. */
export async function findViolations(
  database: Database,
  rules?: readonly Invariant[],
): Promise<readonly Violation[]> {
  const { broken, unchecked } = await withTx(database, 'system', (tx) => examine(tx, rules && { rules }))
  if (unchecked.length > 0) throw new Error(`not checked: ${JSON.stringify(unchecked)}`)
  return broken
}

/** What must hold of money and runs between any two transactions; each broken rule in one line, with its rows. */
export async function checkInvariants(database: Database): Promise<string[]> {
  const violations = await findViolations(database)
  return violations.map(({ invariant, rows }) => `${invariant}: ${JSON.stringify(rows)}`)
}
