import { and, eq } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { files } from '../../db/schema/index.ts'
import { notFound } from '../../errors.ts'
import type { StoredFile } from '../../workspace/files.ts'
import { type Page, type PageRequest, pageOf } from '../run/paging.ts'
import { findRun } from '../run/runs.ts'
import { finderIn, visibleTo } from '../run/visibility.ts'
import { findProject } from './projects.ts'
import { findSession } from './sessions.ts'

export type FileFilter = {
  readonly projectId?: string | undefined
  readonly sessionId?: string | undefined
  readonly runId?: string | undefined
  readonly purpose?: string | undefined
}

export const findFile = finderIn(files)

/**
 * One page of the files that the principal sees.
 * @throws ServiceError `not_found` for a project, session or run that the principal cannot see, and `invalid_value` for an
 *   unknown `after`: an empty list would hide a wrong id.
 */
export async function listFiles(
  executor: Executor,
  principal: Principal,
  page: PageRequest,
  { projectId, sessionId, runId, purpose }: FileFilter,
): Promise<Page<StoredFile>> {
  const visible = visibleTo(principal, files)
  const like = async (column: PgColumn, value: string | undefined, find?: Finder, param?: string) => {
    if (value === undefined) return undefined
    const filter = eq(column, value)
    // Files outlive their session and their run.
    const isNamed = async () => (await executor.$count(files, and(visible, filter))) > 0
    if (find && !(await find(executor, principal, value)) && !(await isNamed())) throw notFound(param)
    return filter
  }
  const filters = [
    await like(files.projectId, projectId, findProject, 'project_id'),
    await like(files.sessionId, sessionId, findSession, 'session_id'),
    await like(files.runId, runId, findRun, 'run_id'),
    await like(files.purpose, purpose),
  ]
  return pageOf(executor, files, and(visible, ...filters), page)
}

type Finder = (executor: Executor, principal: Principal, id: string) => Promise<object | undefined>
