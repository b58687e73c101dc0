import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { createSearchLimit } from '../../../http/limits/work-limits.ts'
import {
  findWork,
  librarySize,
  listAuthors,
  listCategories,
  listVersions,
  tableOfContents,
} from '../../../sources/library/catalogue.ts'
import { findParallels } from '../../../sources/library/links.ts'
import { listWorks } from '../../../sources/library/passages.ts'
import { readPage } from '../../../sources/library/reading-page.ts'
import { hitQuery, nameAsked, readHits } from '../../../sources/search/hit-page.ts'
import { problemOf, readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { libraryPage } from './library-view.ts'
import { readerPage } from './reader-view.ts'
import { emptySearch, searchPage } from './search-view.ts'
import { unknownRefPage } from './unknown-ref-view.ts'
import { workPage } from './work-view.ts'

const worksShown = 50

/** Empty fields of a form count as absent. */
const withoutEmpty = (source: unknown) =>
  Object.fromEntries(Object.entries(source ?? {}).filter(([, value]) => value !== ''))

const shelfQuery = z.object({ category: nameAsked, author: nameAsked, after: nameAsked })
const partQuery = z.object({ part: z.string().max(300).optional(), after: z.string().max(300).optional() })
const version = z.string().max(600).optional()
const readQuery = z.object({
  quote: z.string().trim().max(2_000).optional(),
  hebrew: version,
  translation: version,
})

/** `/library`: works, a search over them and a reader; open to everybody. */
export function libraryPages(app: FastifyInstance, { addressLimits, library, semantic }: WebServices): void {
  const searches = createSearchLimit()
  const executor = library.system

  app.get('/library', openToAll, async (request, reply) => {
    const filter = readFields(shelfQuery, withoutEmpty(request.query))
    const [size, categories, authors, works] = await Promise.all([
      librarySize(executor),
      listCategories(executor, filter.category),
      listAuthors(executor),
      listWorks(executor, { ...filter, limit: worksShown + 1 }),
    ])
    const shown = { works: works.slice(0, worksShown), hasMore: works.length > worksShown }
    return sendPage(request, reply, libraryPage({ filter, size, categories, authors, ...shown }))
  })

  app.get('/library/search', openToAll, async (request, reply) => {
    const asked = withoutEmpty(request.query) as Readonly<Record<string, unknown>>
    if (asked['q'] === undefined) return sendPage(request, reply, emptySearch({}))
    await addressLimits.search(clientAddress(request))
    try {
      const query = readFields(hitQuery, asked)
      const signal = disconnectSignal(reply)
      const page = await searches.run(clientAddress(request), signal, () =>
        readHits(executor, query, { semantic, signal }),
      )
      return sendPage(request, reply, searchPage(query, page))
    } catch (error) {
      const { message, status } = problemOf(request, error)
      return sendPage(request, reply, emptySearch({ q: String(asked['q']), problem: message }), status)
    }
  })

  app.get<{ Params: { title: string } }>('/library/work/:title', openToAll, async (request, reply) => {
    const query = readFields(partQuery, withoutEmpty(request.query))
    const work = await findWork(executor, request.params.title)
    if (!work) throw new ServiceError('not_found', 'The library has no such work.')
    const [versions, parts] = await Promise.all([
      listVersions(executor, work.id),
      tableOfContents(executor, work.id),
    ])
    return sendPage(request, reply, workPage({ work, versions, parts, ...query }))
  })

  app.get<{ Params: { ref: string } }>('/library/read/:ref', openToAll, async (request, reply) => {
    const { ref } = request.params
    const query = readFields(readQuery, withoutEmpty(request.query))
    const signal = disconnectSignal(reply)
    const page = await searches.run(clientAddress(request), signal, () =>
      readPage(executor, ref.slice(0, 600), signal),
    )
    if ('nearest' in page) return sendUnknown(request, reply, ref, page.nearest)
    const refs = page.asked === undefined ? page.passages.map((passage) => passage.ref) : [page.asked]
    const parallels = await findParallels(executor, [...new Set([...refs, page.section])])
    return sendPage(request, reply, await readerPage(textsOf(request), page, parallels, query))
  })
}

function sendUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  ref: string,
  nearest: readonly string[],
): Promise<FastifyReply> {
  return sendPage(request, reply, unknownRefPage(ref, nearest), 404)
}
