import {
  type Account,
  accountSuspended,
  createForOther,
  findAccount,
  lockAccountRow,
} from '../../accounts/accounts.ts'
import { commandLine } from '../../accounts/audit.ts'
import type { Plans } from '../../accounts/plans.ts'
import type { Principal } from '../../accounts/principal.ts'
import { scopes } from '../../accounts/scopes.ts'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { randomBase62 } from '../../ids.ts'
import { projectNamed } from '../../turns/sessions/projects.ts'

/** The account that pays for evaluations unless another one is named. Nobody knows its password. */
export const evaluationEmail = 'evaluation@localhost'

const evaluationPlan = 'unlimited'
const projectName = 'Evaluation'

/** Who asks the questions, and the project of the sessions. */
export type Asker = { readonly principal: Principal; readonly projectId: string; readonly email: string }

/**
 * Finds who asks: the named account, otherwise the account for evaluations, which is created at its first use on the
 * plan `unlimited`. Turns go into the account's project `Evaluation`.
 * @throws ServiceError `not_found` for an unknown address, `account_suspended`.
 */
export function findAsker(
  { database, plans }: { readonly database: Database; readonly plans: Plans },
  email: string | undefined,
): Promise<Asker> {
  return withTx(database, 'system', async (tx) => {
    const account = email === undefined ? await ownAccount(tx, plans) : await findAccount(tx, email)
    if (account.suspendedAt !== null) throw accountSuspended()
    const principal: Principal = {
      accountId: account.id,
      plan: plans.of(account.plan),
      keyId: null,
      scopes: new Set(scopes),
      binding: { kind: 'owner', projectId: null },
    }
    // The lock keeps two evaluations that start together from creating two projects.
    await lockAccountRow(tx, account.id)
    const projectId = await projectNamed(tx, account.id, projectName)
    return { principal, projectId, email: account.email }
  })
}

async function ownAccount(tx: Executor, plans: Plans): Promise<Account> {
  const known = await findAccount(tx, evaluationEmail).catch(() => undefined)
  if (known) return known
  const input = { email: evaluationEmail, plan: evaluationPlan, password: randomBase62(40) }
  return createForOther(tx, plans, commandLine, input)
}
