import { planOfAccount } from '../accounts/accounts.ts'
import type { Plans } from '../accounts/plans.ts'
import type { Tool } from '../agent/tools.ts'
import type { Database, Executor } from '../db/client.ts'
import { retryTransient } from '../db/retry.ts'
import { sourceTools } from '../sources/agent-tools.ts'
import type { SourceRegister } from '../sources/register.ts'
import type { SemanticSearch } from '../sources/semantic.ts'
import { workspaceTools } from '../workspace/agent-tools.ts'
import type { Run } from './start-turn.ts'

/**
 * The tools of one turn: the library, and the files of the turn's own project. They only read, since what one writes
 * waits for its step's transaction: so a look-up that meets a database in trouble is simply made again.
 */
export function turnTools(
  services: {
    readonly database: Database
    readonly plans: Plans
    readonly semantic?: SemanticSearch | undefined
  },
  run: Run,
  register: SourceRegister,
): readonly Tool<Executor>[] {
  const { database, plans, semantic } = services
  const { id, accountId, projectId, sessionId } = run
  const place = { accountId, projectId, sessionId, runId: id }
  return [
    ...sourceTools(database.system, register, semantic),
    ...workspaceTools({
      database,
      place,
      findLimits: (tx) => planOfAccount(tx, plans, accountId),
      register,
    }),
  ].map((tool) => ({
    ...tool,
    execute: (args, signal) => retryTransient(() => tool.execute(args, signal), signal),
  }))
}
