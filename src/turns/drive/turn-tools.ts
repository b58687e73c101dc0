import { planOfAccount } from '../../accounts/accounts.ts'
import type { Plans } from '../../accounts/plans.ts'
import type { ToolSpec } from '../../agent/provider.ts'
import type { Tool, Toolbox } from '../../agent/tools.ts'
import type { Database, Executor } from '../../db/client.ts'
import type { LibraryDatabase } from '../../db/library/library-database.ts'
import { retryTransient } from '../../db/retry.ts'
import type { OutsideTools } from '../../mcp-servers/mcp-servers.ts'
import { createSourceMarks, type SourceMarks } from '../../sources/citations/source-marks.ts'
import type { AskPublisher } from '../../sources/library/publisher.ts'
import type { SemanticSearch } from '../../sources/search/semantic/semantic-search.ts'
import { sourceTools } from '../../sources/tools/agent-tools.ts'
import type { ObjectStore } from '../../workspace/object-store.ts'
import type { Recognition } from '../../workspace/recognition.ts'
import { workspaceTools } from '../../workspace/tools/agent-tools.ts'
import type { Run } from '../run/run.ts'
import { type ToolGroup, toolGroups } from '../run/run-request.ts'

export type ToolServices = {
  readonly database: Database
  /** Holds the library, and no other table that is used. */
  readonly library: LibraryDatabase
  readonly plans: Plans
  /** Undefined: the library has keyword search only. */
  readonly semantic?: SemanticSearch | undefined
  /** Undefined: scanned documents have no text. */
  readonly recognition?: Recognition | undefined
  /** Undefined: Postgres has all files. */
  readonly objects?: ObjectStore | undefined
  /** Asks the publisher for refs that the library does not have, within the limit of the turn. */
  readonly ask?: AskPublisher | undefined
}

type Place = Pick<Run, 'id' | 'accountId' | 'projectId' | 'sessionId'>

/**
 * Our tools by the groups of a turn. Turns with equal groups have the same array, whose JSON for the model is then made
 * once (see `toolsJson`).
 */
const specsOfGroups = new Map<string, readonly ToolSpec[]>()

/**
 * The tools of one turn: the library, the files of its project, and those of outside servers. Ours are created at the
 * first call, because thousands of open turns may call none.
 * @param groups the groups that the client chose; default: all. Outside tools belong to none, so a choice excludes them.
 */
export function turnTools(
  services: ToolServices,
  run: Place,
  sourceMarks: SourceMarks,
  groups?: readonly ToolGroup[],
  outside?: OutsideTools,
): Toolbox<Executor> {
  let made: ReadonlyMap<string, Tool<Executor>> | undefined
  let withOthers: readonly ToolSpec[] | undefined
  const others = groups ? undefined : outside
  return {
    get specs() {
      const own = specsOf(services, groups)
      if (!others?.specs.length) return own
      withOthers ??= [...own, ...others.specs]
      return withOthers
    },
    get(name) {
      made ??= new Map(makeTools(services, run, sourceMarks, groups).map((tool) => [tool.spec.name, tool]))
      return made.get(name) ?? others?.get(name)
    },
  }
}

/** The descriptions of our tools. They are the same for all turns with these groups. */
export function specsOf(services: ToolServices, groups?: readonly ToolGroup[]): readonly ToolSpec[] {
  const key = chosenOf(groups).join()
  const made = () => makeTools(services, noPlace, createSourceMarks(), groups)
  const specs = specsOfGroups.get(key) ?? made().map(({ spec }) => spec)
  specsOfGroups.set(key, specs)
  return specs
}

/** Descriptions do not depend on the turn. */
const noPlace: Place = { id: '', accountId: '', projectId: '', sessionId: '' }

const chosenOf = (groups: readonly ToolGroup[] | undefined): readonly ToolGroup[] =>
  toolGroups.filter((group) => !groups || groups.includes(group))

/**
 * Tools only read. Their writes wait for the step's transaction, so a read that meets a transient database
 * error can be repeated. Those of the library repeat it themselves.
 */
function makeTools(
  { database, library, plans, semantic, recognition, objects, ask }: ToolServices,
  { id, accountId, projectId, sessionId }: Place,
  sourceMarks: SourceMarks,
  groups: readonly ToolGroup[] | undefined,
): readonly Tool<Executor>[] {
  const place = { accountId, projectId, sessionId, runId: id }
  const repeated = (tool: Tool<Executor>): Tool<Executor> => ({
    ...tool,
    execute: (args, signal) => retryTransient(() => tool.execute(args, signal), signal),
  })
  const findLimits = (tx: Executor) => planOfAccount(tx, plans, accountId)
  const ofLibrary = sourceTools(library, sourceMarks, semantic, ask)
  const files = { database, recognition, objects }
  const ofProject = workspaceTools({ ...files, library, place, findLimits, sourceMarks })
  const chosen = chosenOf(groups)
  return [
    ...(chosen.includes('library') ? ofLibrary : []),
    ...ofProject.filter(({ spec }) => chosen.includes(groupInProject(spec.name))).map(repeated),
  ]
}

const groupInProject = (name: string): ToolGroup => (name === 'make_source_sheet' ? 'sheets' : 'files')
