import { planOfAccount } from '../../accounts/accounts.ts'
import type { Plans } from '../../accounts/plans.ts'
import type { ToolSpec } from '../../agent/provider.ts'
import type { Tool, Toolbox } from '../../agent/tools.ts'
import type { Database, Executor } from '../../db/client.ts'
import type { LibraryDatabase } from '../../db/library/library-database.ts'
import { retryTransient } from '../../db/retry.ts'
import type { SourceMarks } from '../../sources/citations/source-marks.ts'
import type { AskPublisher } from '../../sources/library/publisher.ts'
import type { SemanticSearch } from '../../sources/search/semantic/semantic-search.ts'
import { sourceTools } from '../../sources/tools/agent-tools.ts'
import { workspaceTools } from '../../workspace/tools/agent-tools.ts'
import type { Run } from '../run/run.ts'

export type ToolServices = {
  readonly database: Database
  readonly library: LibraryDatabase
  readonly plans: Plans
  readonly semantic?: SemanticSearch | undefined
  /** Asks the publisher for refs that the library does not have, within the limit of the turn. */
  readonly ask?: AskPublisher | undefined
}

type Place = Pick<Run, 'id' | 'accountId' | 'projectId' | 'sessionId'>

/** Tool descriptions are the same in every turn, so they are created once. */
let specsOfTurns: readonly ToolSpec[] | undefined

/**
 * The tools of one turn: the library, and the files of its project. They are created at the first call, because
 * thousands of open turns may call none.
 */
export function turnTools(services: ToolServices, run: Place, sourceMarks: SourceMarks): Toolbox<Executor> {
  let made: ReadonlyMap<string, Tool<Executor>> | undefined
  return {
    get specs() {
      specsOfTurns ??= makeTools(services, run, sourceMarks).map(({ spec }) => spec)
      return specsOfTurns
    },
    get(name) {
      made ??= new Map(makeTools(services, run, sourceMarks).map((tool) => [tool.spec.name, tool]))
      return made.get(name)
    },
  }
}

/**
 * Tools only read. Their writes wait for the step's transaction, so a read that meets a transient database
 * error can be repeated.
 */
function makeTools(
  { database, library, plans, semantic, ask }: ToolServices,
  { id, accountId, projectId, sessionId }: Place,
  sourceMarks: SourceMarks,
): readonly Tool<Executor>[] {
  const place = { accountId, projectId, sessionId, runId: id }
  return [
    ...sourceTools(library, sourceMarks, semantic, ask),
    ...workspaceTools({
      database,
      library,
      place,
      findLimits: (tx) => planOfAccount(tx, plans, accountId),
      sourceMarks,
    }),
  ].map((tool) => ({
    ...tool,
    execute: (args, signal) => retryTransient(() => tool.execute(args, signal), signal),
  }))
}
