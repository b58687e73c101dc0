import { Readable } from 'node:stream'
import { builtInPlans } from '../../src/accounts/plans.ts'
import type { OfferedSource } from '../../src/agent/tools.ts'
import { type Database, withTx } from '../../src/db/client.ts'
import { createSourceMarks } from '../../src/sources/citations/source-marks.ts'
import type { FilePlace, StoredFile } from '../../src/workspace/files.ts'
import type { ObjectStore } from '../../src/workspace/object-store.ts'
import type { StorageLimits } from '../../src/workspace/quota.ts'
import type { Recognition } from '../../src/workspace/recognition.ts'
import { workspaceTools } from '../../src/workspace/tools/agent-tools.ts'
import { receiveUpload, sealUpload } from '../../src/workspace/uploads.ts'
import { libraryIn } from './library-database.ts'
import { makeAccount, makeProject } from './world/accounts.ts'

export type Uploaded = { readonly name: string; readonly content: Buffer | string; readonly type?: string }

/** The reply of a tool, and the result of its deferred write. */
export type Said = {
  readonly content: Readonly<Record<string, unknown>>
  readonly isError: boolean
  readonly sources: readonly OfferedSource[]
}

/** A project, and the agent's tools for it, as in one turn. */
export type TestWorkspace = {
  readonly place: FilePlace & { readonly runId: string }
  upload(file: Uploaded): Promise<StoredFile>
  /** Calls a tool and runs its deferred write in one transaction, like the journal. */
  call(name: string, args: object, signal?: AbortSignal): Promise<Said>
}

async function newPlace(database: Database): Promise<TestWorkspace['place']> {
  const { id: accountId } = await makeAccount(database)
  const projectId = await makeProject(database, accountId)
  return { accountId, projectId, sessionId: 'sess_test', runId: 'run_test' }
}

/** @param given the project of another one; default: a new project. */
export async function openWorkspace(
  database: Database,
  limits: Partial<StorageLimits> = {},
  recognition?: Recognition,
  given?: TestWorkspace['place'],
  objects?: ObjectStore,
): Promise<TestWorkspace> {
  const place = given ?? (await newPlace(database))
  const plan = { ...builtInPlans.of('pro'), ...limits }
  const tools = workspaceTools({
    database,
    recognition,
    objects,
    library: libraryIn(database),
    place,
    findLimits: async () => plan,
    sourceMarks: createSourceMarks(),
  })
  return {
    place,
    async upload({ name, content, type = 'application/octet-stream' }) {
      const source = Readable.from([Buffer.from(content)])
      const received = await receiveUpload({ database, objects }, place, plan, {
        name,
        contentType: type,
        content: source,
        announced: undefined,
      })
      const own = { ...place, sessionId: null, runId: null }
      return withTx(database, place, (tx) => sealUpload(tx, own, plan, received, 'user_data'))
    },
    async call(name, args, signal = AbortSignal.timeout(120_000)) {
      const tool = tools.find(({ spec }) => spec.name === name)
      if (!tool) throw new Error(`no tool ${name}`)
      const outcome = await tool.execute({ ...args }, signal)
      const change = outcome.commit && (await withTx(database, place, outcome.commit))
      const refused = change && 'error' in change
      return {
        content: refused ? change : { ...JSON.parse(outcome.content), ...change },
        isError: refused || outcome.isError === true,
        sources: outcome.sources ?? [],
      }
    },
  }
}
