import { inArray } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { works } from '../../db/schema/index.ts'
import type { Collection } from '../collections/collection.ts'
import { collections } from '../collections/collections.ts'
import type { RestrictedLicense } from '../library/licenses.ts'
import { completedJobs, type LibraryJob, newestJobs } from './jobs.ts'

/** A collection and how far the library has it. */
export type CollectionState = {
  readonly collection: Collection
  /** Number of its listed works that the library has. */
  readonly held: number
  /** Its newest import, finished or not. */
  readonly job: LibraryJob | undefined
  /** When an import of it last reached its end. */
  readonly addedAt: Date | undefined
  /** Restricted licences that were allowed then. */
  readonly allowed: readonly RestrictedLicense[]
}

/** The states of all collections, in their order. */
export async function collectionStates(executor: Executor): Promise<readonly CollectionState[]> {
  const titles = collections.flatMap(({ works: listed }) => listed.flatMap(titlesOfWork))
  const [newest, completed, present] = [
    await newestJobs(executor),
    await completedJobs(executor),
    await executor.select({ title: works.title }).from(works).where(inArray(works.title, titles)),
  ]
  const held = new Set(present.map(({ title }) => title))
  return collections.map((collection) => {
    const ofThis = (job: LibraryJob) => job.collection === collection.name
    const last = completed.find(ofThis)
    return {
      collection,
      held: collection.works.filter((work) => titlesOfWork(work).some((title) => held.has(title))).length,
      job: newest.find(ofThis),
      addedAt: last?.finishedAt ?? undefined,
      allowed: (last?.allowLicenses ?? []) as RestrictedLicense[],
    }
  })
}

function titlesOfWork({ title, formerTitles = [] }: Collection['works'][number]): readonly string[] {
  return [title, ...formerTitles]
}
