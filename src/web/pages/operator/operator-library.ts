import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../../../errors.ts'
import { asServiceError } from '../../../http/error-handler.ts'
import { librarySize, listWorkVersions } from '../../../sources/library/catalogue.ts'
import { checkLibrary } from '../../../sources/library/writing/check.ts'
import { collectionStates } from '../../../sources/library-jobs/collection-states.ts'
import { readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { operatorsOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { type Checked, libraryStatusPage } from './operator-library-view.ts'

const query = z.object({
  after: z.string().max(300).optional(),
  check: z.literal('now').optional().catch(undefined),
})

const worksShown = 40
/**
 * Number of texts that the check compares with the index: enough to find a broken index, and fast enough for
 * a page.
 */
const sample = 200

/** `/operator/library`: what the library has, a check of it, and how to import texts. */
export function operatorLibraryPage(app: FastifyInstance, { library }: WebServices): void {
  const { system } = library

  app.get('/operator/library', operatorsOnly, async (request, reply) => {
    const { after, check } = readFields(query, request.query)
    const works = await listWorkVersions(system, { after: after || undefined, limit: worksShown + 1 })
    return sendPage(
      reply,
      libraryStatusPage(textsOf(request), {
        size: await librarySize(system),
        works: works.slice(0, worksShown),
        hasMore: works.length > worksShown,
        isFirst: !after,
        collections: await collectionStates(system),
        checked: check === 'now' ? await runCheck(request) : undefined,
      }),
    )
  })

  /** The check of a large library can exceed the time limit of a statement. */
  async function runCheck(request: FastifyRequest): Promise<Checked> {
    try {
      return { check: await checkLibrary(system, sample) }
    } catch (error) {
      const problem = asServiceError(error, request)
      if (!(problem instanceof ServiceError) || problem.code !== 'overloaded') throw error
      return { problem: textsOf(request).operator.library.tooLong }
    }
  }
}
