import { and, eq } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { files } from '../../db/schema/index.ts'
import type { StoredFile } from '../../workspace/files.ts'
import { type Page, type PageRequest, pageOf } from '../run/paging.ts'
import { finderIn, visibleTo } from '../run/visibility.ts'

export type FileFilter = {
  readonly projectId?: string | undefined
  readonly sessionId?: string | undefined
  readonly runId?: string | undefined
  readonly purpose?: string | undefined
}

export const findFile = finderIn(files)

export function listFiles(
  executor: Executor,
  principal: Principal,
  page: PageRequest,
  filter: FileFilter,
): Promise<Page<StoredFile>> {
  const conditions = and(
    visibleTo(principal, files),
    filter.projectId === undefined ? undefined : eq(files.projectId, filter.projectId),
    filter.sessionId === undefined ? undefined : eq(files.sessionId, filter.sessionId),
    filter.runId === undefined ? undefined : eq(files.runId, filter.runId),
    filter.purpose === undefined ? undefined : eq(files.purpose, filter.purpose),
  )
  return pageOf(executor, files, conditions, page)
}
