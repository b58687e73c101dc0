import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { databaseFault, isUnavailable } from '../../../db/errors.ts'
import { messageOf, ServiceError } from '../../../errors.ts'
import type { OtherTitle } from '../../library/writing/headings.ts'
import type { ReadWork } from '../import-works.ts'
import { mergePassageRefs, type ReadVersion } from './format/version.ts'
import type { ReportBuilder } from './report.ts'

export type StoredVersion = { readonly read: ReadVersion; readonly hash: string }

export type StoreOptions = {
  readonly formerTitles?: readonly string[]
  readonly otherTitles?: readonly OtherTitle[]
  /** Completes the versions with what the library has. */
  readonly complete?: (tx: Executor, versions: readonly ReadVersion[]) => Promise<readonly ReadVersion[]>
  /** Called in the same transaction, with the hash of each version. */
  readonly alsoStore?: (tx: Executor, stored: readonly StoredVersion[]) => Promise<void>
}

/**
 * The versions of one work, as an import stores them. They are counted; if the work cannot be stored, it is reported and
 * the import goes on, unless the database is unavailable: every other work would fail too. Of versions with equal language
 * and title only one is stored, with a remark.
 */
export function readWork(
  incoming: readonly ReadVersion[],
  report: ReportBuilder,
  { formerTitles = [], otherTitles, complete, alsoStore }: StoreOptions = {},
): readonly ReadWork[] {
  let versions = withoutDoubles(incoming, report)
  const [first] = versions
  if (!first) return []
  const author = versions.find((version) => version.work.author !== '')?.work.author ?? ''
  const { title } = first.work
  return [
    {
      async content(tx) {
        const former = await takeOverFormerTitle(tx, versions, formerTitles)
        if (former !== undefined) report.note('remarks', title, `it was in the library as "${former}"`)
        versions = (await complete?.(tx, versions)) ?? versions
        return {
          work: { ...first.work, author },
          places: mergePassageRefs(versions),
          versions: versions.map(({ version }) => version),
          ...(otherTitles && { otherTitles }),
        }
      },
      async stored(tx, { outcomes, parts }) {
        await alsoStore?.(
          tx,
          versions.map((read, i) => ({ read, hash: outcomes[i]?.hash ?? '' })),
        )
        const written = versions.filter((_, i) => outcomes[i]?.isWritten)
        report.count({
          works: written.length > 0 ? 1 : 0,
          versions: written.length,
          unchanged: versions.length - written.length,
          segments: written.reduce((sum, { version }) => sum + version.texts.size, 0),
          machineMade: written.filter(({ version }) => version.machineMade).length,
          words: parts.reduce((sum, { words }) => sum + words.length, 0),
        })
      },
      failed(error) {
        const fault = databaseFault(error)
        const isOfTheWork = error instanceof ServiceError || (fault !== undefined && !isUnavailable(fault))
        if (!isOfTheWork) throw error
        report.note('failed', title, fault?.message ?? messageOf(error))
      },
    },
  ]
}

function withoutDoubles(versions: readonly ReadVersion[], report: ReportBuilder): readonly ReadVersion[] {
  const seen = new Set<string>()
  return versions.filter(({ work, version }) => {
    const key = JSON.stringify([version.language, version.title])
    if (seen.has(key))
      report.note('skipped', `${work.title}: ${version.title}`, 'the same version came before')
    return !seen.has(key) && seen.add(key)
  })
}

/**
 * Renames a stored work whose title has changed in the source, if it came from Sefaria and has one of these versions.
 * Storing then replaces its versions instead of creating a second work.
 */
async function takeOverFormerTitle(
  tx: Executor,
  versions: readonly ReadVersion[],
  formerTitles: readonly string[],
): Promise<string | undefined> {
  const title = versions[0]?.work.title ?? ''
  if (formerTitles.length === 0) return undefined
  const found = await tx.execute<{ id: number; title: string }>(sql`
    select w.id, w.title from works w
    where w.title = any(${sql.param(formerTitles)}::text[]) and not exists (select 1 from works where title = ${title})
      and exists (
        select 1 from versions v
        where v.work_id = w.id and starts_with(v.source_url, 'https://www.sefaria.org/')
          and v.title = any(${sql.param(versions.map(({ version }) => version.title))}::text[]))
    limit 1`)
  const former = found.rows[0]
  if (former) await tx.execute(sql`update works set title = ${title} where id = ${former.id}`)
  return former?.title
}
