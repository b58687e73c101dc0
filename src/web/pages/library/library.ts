import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { createSearchLimit } from '../../../http/limits/work-limits.ts'
import {
  findWork,
  hebrewTitles,
  librarySize,
  listAuthors,
  listCategories,
  listLanguages,
  listVersions,
  tableOfContents,
} from '../../../sources/library/catalogue.ts'
import { listWorks } from '../../../sources/library/passages.ts'
import { resolveQuery } from '../../../sources/refs/ref-lookup.ts'
import { countedHits, countFacets, facetNames } from '../../../sources/search/facets.ts'
import { hitQuery, nameAsked, rankHits, readHits } from '../../../sources/search/hit-page.ts'
import { problemOf, readFields } from '../../components/forms.ts'
import { readHref } from '../../components/library-links.ts'
import { sendPage } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { refNames } from '../ref-names.ts'
import type { WebServices } from '../services.ts'
import { dailyPages } from './daily.ts'
import { libraryPage } from './library-view.ts'
import { filtersAsked } from './search-filters.ts'
import { emptySearch, refusedSearch, searchPage } from './search-view.ts'
import { workPage } from './work-view.ts'

const worksShown = 50

/** Empty fields of a form count as absent. */
const withoutEmpty = (source: unknown) =>
  Object.fromEntries(Object.entries(source ?? {}).filter(([, value]) => value !== ''))

const shelfQuery = z.object({ category: nameAsked, author: nameAsked, after: nameAsked })
const partQuery = z.object({ part: z.string().max(300).optional(), after: z.string().max(300).optional() })
/** `/library`: works and a search over them; open to everybody. */
export function libraryPages(app: FastifyInstance, services: WebServices): void {
  const executor = services.library.system

  app.get('/library', openToAll, async (request, reply) => {
    const filter = readFields(shelfQuery, withoutEmpty(request.query))
    const [size, categories, authors, works] = await Promise.all([
      librarySize(executor),
      listCategories(executor, filter.category),
      listAuthors(executor),
      listWorks(executor, { ...filter, limit: worksShown + 1 }),
    ])
    const shown = { works: works.slice(0, worksShown), hasMore: works.length > worksShown }
    return sendPage(
      reply,
      libraryPage(textsOf(request), {
        filter,
        size,
        categories,
        authors,
        ...shown,
        isOperator: isOperator(request),
      }),
    )
  })

  app.get<{ Params: { title: string } }>('/library/work/:title', openToAll, async (request, reply) => {
    const query = readFields(partQuery, withoutEmpty(request.query))
    const work = await findWork(executor, request.params.title)
    if (!work) throw new ServiceError('not_found', 'The library has no such work.')
    const [versions, parts] = await Promise.all([
      listVersions(executor, work.id),
      tableOfContents(executor, work.id),
    ])
    return sendPage(
      reply,
      workPage(textsOf(request), { work, versions, parts, isSignedIn: request.visitor !== null, ...query }),
    )
  })

  searchPages(app, services)
  dailyPages(app, services)
}

function searchPages(app: FastifyInstance, services: WebServices): void {
  const { addressLimits, library } = services
  const searches = createSearchLimit()
  const executor = library.system

  app.get('/library/search', openToAll, async (request, reply) => {
    const asked = withoutEmpty(request.query) as Readonly<Record<string, unknown>>
    const t = textsOf(request)
    if (asked['q'] === undefined) return sendPage(reply, emptySearch(t, await listLanguages(executor)))
    await addressLimits.search(clientAddress(request))
    try {
      const read = readFields(hitQuery, asked)
      // Explanations show how the search is built, and cost time: pages give them to operators only.
      const query = isOperator(request) ? read : { ...read, explain: undefined }
      const signal = disconnectSignal(reply)
      // A ref that the library holds is what its reader wants: results would only stand before it.
      const isPlain = Object.keys(asked).every((name) => name === 'q')
      if (isPlain && (await resolveQuery(executor, query.q))) return reply.redirect(readHref(query.q), 303)
      const shown = await searches.run(clientAddress(request), signal, () =>
        resultsOf(services, query, { signal, t }),
      )
      return sendPage(reply, searchPage(t, { query, ...shown, isOperator: isOperator(request) }))
    } catch (error) {
      const problem = problemOf(request, error)
      return sendPage(reply, await refused(executor, t, asked, problem), problem.status)
    }
  })
}

function isOperator({ visitor }: FastifyRequest): boolean {
  return visitor?.person.operator === true
}

/** The page of a search that was refused. It keeps the words and filters. */
async function refused(
  executor: WebServices['library']['system'],
  t: Texts,
  asked: Readonly<Record<string, unknown>>,
  { message: problem, status, param: wrong }: ReturnType<typeof problemOf>,
) {
  const filters = filtersAsked(asked)
  // Of a search that the library is too busy for, or cannot answer, nothing more is asked of it.
  const named = status === 400 && t.language === 'he' && filters.work !== undefined ? [filters.work] : []
  const [languages, titles] = await Promise.all([
    status === 400 ? listLanguages(executor) : [],
    hebrewTitles(executor, named),
  ])
  return refusedSearch(t, { filters, problem, wrong, languages, titles })
}

/**
 * The hits of a page, where the best hits are, and the languages of the library. The first page without filters needs
 * one search for both; each filter and a later page need one more.
 */
async function resultsOf(
  { library: { system: executor }, semantic }: WebServices,
  query: z.output<typeof hitQuery>,
  { signal, t }: { readonly signal: AbortSignal; readonly t: Texts },
) {
  const { after, limit, ...filters } = query
  const options = { semantic, signal }
  const chosen = facetNames.filter((name) => filters[name] !== undefined)
  const [best, later, languages, ...others] = await Promise.all([
    readHits(executor, { ...filters, limit: countedHits }, options),
    after === undefined ? undefined : readHits(executor, query, options),
    listLanguages(executor),
    ...chosen.map(async (name) => {
      const wider = { ...filters, [name]: undefined, limit: countedHits }
      return [name, await rankHits(executor, wider, options)] as const
    }),
  ])
  const first = { ...best, hits: best.hits.slice(0, limit), hasMore: best.hits.length > limit }
  const facets = await countFacets(executor, best, Object.fromEntries(others))
  const page = later ?? first
  const named = [...page.hits.map(({ work }) => work), ...facets.work.values.map(({ name }) => name)]
  const works = [...named, ...(filters.work === undefined ? [] : [filters.work])]
  // English pages show English titles.
  const titles = await hebrewTitles(executor, t.language === 'he' ? works : [])
  const names = await refNames(t, executor, [page.unknownRef?.nearest])
  return { page, facets, languages, titles, names }
}
