import { findViolations } from '../../src/billing/invariants.ts'
import type { Database } from '../../src/db/client.ts'

/** What must hold of money and runs between any two transactions; each broken rule in one line, with its rows. */
export async function checkInvariants(database: Database): Promise<string[]> {
  const violations = await findViolations(database.system)
  return violations.map(({ invariant, rows }) => `${invariant}: ${JSON.stringify(rows)}`)
}
