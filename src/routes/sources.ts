import { z } from 'zod'
import type { Executor } from '../db/client.ts'
import { principalOf } from '../http/auth.ts'
import { disconnectSignal } from '../http/connection/disconnect.ts'
import { boundedList, boundedText, bounds } from '../http/limits/bounds.ts'
import type { LibraryLimits } from '../http/limits/work-limits.ts'
import { listBody } from '../http/lists.ts'
import type { BodyOf, RouteDocs } from '../http/openapi/docs.ts'
import { wholeNumber } from '../http/openapi/whole-number.ts'
import type { Api } from '../http/openapi/zod.ts'
import { originOf } from '../http/origin.ts'
import { verifyInThread } from '../sources/citations/verification.ts'
import { linksFrom } from '../sources/library/links.ts'
import { listWorks, type ReadOptions, readPassage, type WorkSummary } from '../sources/library/passages.ts'
import { passageUrl } from '../sources/library/source-url.ts'
import type { Passage } from '../sources/library/types.ts'
import { periodAsked } from '../sources/periods/period-arguments.ts'
import type { HitExplanation } from '../sources/search/explain.ts'
import { type HitPage, hitQuery, languageAsked, nameAsked, readHits } from '../sources/search/hit-page.ts'
import type { Services } from '../turns/services.ts'
import {
  hitList,
  type hitSchema,
  type passageSchema,
  sourceSchema,
  verificationSchema,
  workList,
  type workSchema,
} from './source-schema.ts'
import { unknownRef } from './unknown-ref.ts'

const scope = 'sources:read' as const
const worksQuery = z.object({
  category: nameAsked,
  author: nameAsked,
  ...periodAsked,
  limit: wholeNumber(1, 1_000).default(100),
  after: nameAsked,
})

const neighbours = wholeNumber(0, 20).default(0)
const readQuery = z.object({ language: languageAsked, before: neighbours, after: neighbours })

const verifyBody = z.object({
  text: boundedText(bounds.verifiedText).min(1),
  refs: boundedList(boundedText(bounds.ref).min(1), bounds.verifiedRefs)
    .nullish()
    .transform((refs) => refs ?? []),
  explain: z
    .boolean()
    .nullish()
    .transform((explain) => explain ?? false),
})

const docs = {
  works: { summary: 'List the works of the library', tag: 'Sources', response: workList },
  search: {
    summary: 'Search the library',
    description:
      'By words in Hebrew, English or transliteration, or by a ref. At most the first 1,000 hits are shown. With `explain=true` each hit says which terms, signals and rules made its rank. An account has 4 searches at a time in a process; up to 32 wait, and more get a 429.',
    tag: 'Sources',
    response: hitList,
  },
  verify: {
    summary: 'Check refs and quotations of any text',
    example: { text: '“The Psalmist asks to serve God in joy” (Concepts of Chassidut, Simcha 1)' },
    description: `Compares every quotation of 12 letters or more with the nearest ref in its paragraph, else with any of \
\`refs\`, else with the whole library, and tells which refs exist. The first 500 quotations are checked, for at most 20 s; \`unchecked\` counts the others. An account has \
one verification at a time in a process; up to 2 wait, and more get a 429. It stops when the client disconnects. With \`explain\`, each \
quotation has the rule and the comparisons behind its verdict, and \`not_compared\` has what looks like a quotation and was left out.`,
    tag: 'Sources',
    response: verificationSchema,
  },
  read: {
    summary: 'Read what stands at a ref',
    description:
      'A 404 names the nearest refs that exist. With `LIBRARY_FALLBACK`, a ref that the library does not have is first fetched from the publisher, for at most 3 s. It counts towards the 4 searches that an account has at a time.',
    tag: 'Sources',
    params: { ref: 'Such as `Tanya, Part I; Likkutei Amarim 32:4`, percent-encoded' },
    response: sourceSchema,
  },
} satisfies Record<string, RouteDocs>

/** The library: what works it has, what it says about something, and what stands at a ref. */
export function sourceRoutes(
  app: Api,
  { library, semantic, fallback, appUrl }: Services,
  { searches, verifications }: LibraryLimits,
): void {
  app.get(
    '/sources/works',
    { config: { scope, docs: docs.works }, schema: { querystring: worksQuery } },
    async (request): Promise<BodyOf<typeof workList>> => {
      const { limit, ...filter } = request.query
      const works = await listWorks(library.system, { ...filter, limit: limit + 1 })
      return listBody(works.slice(0, limit).map(workBody), works.length > limit)
    },
  )

  app.get(
    '/sources/search',
    { config: { scope, docs: docs.search }, schema: { querystring: hitQuery } },
    async (request, reply): Promise<BodyOf<typeof hitList>> => {
      const signal = disconnectSignal(reply)
      const { hits, hasMore, unknownRef } = await searches.run(principalOf(request).accountId, signal, () =>
        readHits(library.system, request.query, { semantic, signal }),
      )
      return {
        ...listBody(
          hits.map((hit) => hitBody(hit, originOf({ appUrl }, request))),
          hasMore,
        ),
        ...(unknownRef && { unknown_ref: unknownRef }),
      }
    },
  )

  app.post(
    '/sources/verify',
    { config: { scope, docs: docs.verify }, schema: { body: verifyBody } },
    async (request, reply): Promise<BodyOf<typeof verificationSchema>> => {
      const signal = disconnectSignal(reply)
      return verifications.run(principalOf(request).accountId, signal, () =>
        verifyInThread(library, request.body, signal),
      )
    },
  )

  app.get(
    '/sources/:ref',
    { config: { scope, docs: docs.read }, schema: { querystring: readQuery } },
    async (request, reply): Promise<BodyOf<typeof sourceSchema>> => {
      const { ref } = request.params as { ref: string }
      const name = ref.replaceAll('\0', '')
      const signal = disconnectSignal(reply)
      return searches.run(principalOf(request).accountId, signal, () =>
        readSource(library.system, name, originOf({ appUrl }, request), {
          ...request.query,
          signal,
          ask: fallback?.ask,
        }),
      )
    },
  )
}

async function readSource(
  executor: Executor,
  ref: string,
  origin: string,
  options: ReadOptions,
): Promise<BodyOf<typeof sourceSchema>> {
  const read = await readPassage(executor, ref, options)
  if ('nearest' in read) throw unknownRef(ref, read)
  options.signal?.throwIfAborted()
  const links = await linksFrom(
    executor,
    read.passages.map((passage) => passage.ref),
  )
  return {
    object: 'source',
    ref,
    passages: read.passages.map((passage) => passageBody(passage, origin)),
    links: [...links].map(([from, to]) => ({ from, to })),
  }
}

function workBody(work: WorkSummary): BodyOf<typeof workSchema> {
  return {
    id: work.title,
    object: 'source.work',
    title: work.title,
    he_title: work.heTitle,
    author: work.author,
    categories: work.categories,
    composed: work.composed,
    languages: work.languages,
    passages: work.passages,
  }
}

function passageBody(passage: Passage, origin: string): BodyOf<typeof passageSchema> {
  return {
    ref: passage.ref,
    he_ref: passage.heRef,
    title: passage.title,
    work: passage.work,
    author: passage.author,
    language: passage.language,
    version: passage.version,
    license: passage.license,
    url: passageUrl(origin, passage),
    text: passage.text,
  }
}

function explanationBody({ terms, signals, rules, floor }: HitExplanation) {
  return {
    terms: terms.map((term) => ({ ...term, found: [...term.found] })),
    signals,
    rules: [...rules],
    floor,
  }
}

function hitBody(hit: HitPage['hits'][number], origin: string): BodyOf<typeof hitSchema> {
  return {
    id: hit.id,
    object: 'source.hit',
    ...passageBody(hit, origin),
    snippet: hit.snippet,
    coverage: hit.coverage,
    matched: [...hit.matched],
    score: hit.score,
    ...(hit.explanation && { explanation: explanationBody(hit.explanation) }),
  }
}
