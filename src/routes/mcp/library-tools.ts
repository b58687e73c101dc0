import type { McpServer, ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { notFound } from '../../errors.ts'
import { boundedList, boundedText, bounds } from '../../http/limits/bounds.ts'
import { verifyInThread } from '../../sources/citations/verification.ts'
import { linksFrom } from '../../sources/library/links.ts'
import { listWorks, readPassage } from '../../sources/library/passages.ts'
import { passageUrl } from '../../sources/library/source-url.ts'
import type { Passage } from '../../sources/library/types.ts'
import { periodArguments } from '../../sources/periods/period-arguments.ts'
import { hitQuery, nameAsked, readHits } from '../../sources/search/hit-page.ts'
import { scholarTools } from '../../sources/tools/scholar-tools.ts'
import { unknownRef } from '../unknown-ref.ts'
import type { Caller } from './caller.ts'
import { toolInput } from './tool-input.ts'
import { dataResult, errorResult, toolResult } from './tool-result.ts'

/** The library is only read, and its texts are the same at each call. */
const reading: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

const searchInput = z.object({
  query: hitQuery.shape.q.describe('Words in Hebrew, English or transliteration, a question, or a ref'),
  language: hitQuery.shape.language.describe('`he` or `en`: only passages in this language'),
  work: hitQuery.shape.work,
  author: hitQuery.shape.author,
  category: hitQuery.shape.category,
  ...periodArguments,
  limit: z.int().min(1).max(50).default(10),
})

const searchOutput = z.object({
  results: z.array(
    z.object({
      id: z.string().describe('The ref, for `fetch`'),
      title: z.string(),
      url: z.string(),
      text: z.string().describe('The part of the passage that fits best'),
      language: z.string(),
      work: z.string(),
      license: z.string(),
    }),
  ),
  unknown_ref: z.string().optional().describe('A ref of the query that does not exist'),
})

const fetchInput = z.object({
  id: boundedText(bounds.ref).min(1).describe('A ref, such as the `id` of a search result'),
})

const fetchOutput = z.object({
  id: z.string(),
  title: z.string(),
  text: z
    .string()
    .describe('Every version of the passages, each under its ref, language, version and licence'),
  url: z.string(),
  metadata: z.record(z.string(), z.unknown()),
})

const verifyInput = z.object({
  text: boundedText(bounds.verifiedText).min(1).describe('Any text that quotes the library'),
  refs: boundedList(boundedText(bounds.ref).min(1), bounds.verifiedRefs)
    .default([])
    .describe(
      'Refs that the text is about; quotations without a ref of their own are compared with these first',
    ),
  explain: z.boolean().default(false).describe('Tells why each quotation has its verdict'),
})

const worksInput = z.object({
  category: nameAsked,
  author: nameAsked,
  ...periodArguments,
  limit: z.int().min(1).max(500).default(100),
  after: nameAsked.describe('The title after which the page begins'),
})

const refInput = z.object({ ref: boundedText(bounds.ref).min(1) })

/** Registers the tools that read the library. They cost no credits. */
export function registerLibraryTools(server: McpServer, caller: Caller): void {
  registerSearch(server, caller)
  registerFetch(server, caller)
  registerVerify(server, caller)
  registerWorks(server, caller)
  registerScholarTools(server, caller)
}

function registerSearch(server: McpServer, { services, limits, principal, origin, left }: Caller): void {
  server.registerTool(
    'search',
    {
      title: 'Search the library',
      description:
        'Searches a library of chassidic and related Jewish texts for passages. Hebrew and English words both work; search in both for best results. A ref such as "Tanya 32" is looked up directly.',
      inputSchema: toolInput(searchInput),
      outputSchema: searchOutput,
      annotations: reading,
    },
    ({ query, ...filter }) =>
      toolResult(services.log, 'search', async () => {
        const { semantic, library } = services
        const search = { ...filter, q: query }
        const { hits, unknownRef } = await limits.searches.run(principal.accountId, left, () =>
          readHits(library.system, search, { semantic, signal: left }),
        )
        const results = hits.map((hit) => ({
          id: hit.ref,
          title: hit.heRef === '' ? hit.ref : `${hit.ref} (${hit.heRef})`,
          url: passageUrl(origin, hit),
          text: hit.snippet || hit.text.slice(0, 500).toWellFormed(),
          language: hit.language,
          work: hit.work,
          license: hit.license,
        }))
        return dataResult({ results, ...(unknownRef && { unknown_ref: unknownRef.ref }) })
      }),
  )
}

function registerFetch(server: McpServer, caller: Caller): void {
  server.registerTool(
    'fetch',
    {
      title: 'Read a passage',
      description:
        'Reads what stands at a ref, in every version that the library has. The `id` of a search result is a ref.',
      inputSchema: toolInput(fetchInput),
      outputSchema: fetchOutput,
      annotations: reading,
    },
    ({ id }) =>
      toolResult(caller.services.log, 'fetch', async () => dataResult(await readDocument(caller, id))),
  )
}

/**
 * Reads a ref as one document.
 * @throws ServiceError `not_found` with the nearest refs that exist.
 */
export async function readDocument(
  { services, limits, principal, origin, left }: Caller,
  ref: string,
): Promise<z.output<typeof fetchOutput>> {
  const { library, fallback } = services
  return limits.searches.run(principal.accountId, left, async () => {
    const read = await readPassage(library.system, ref, { signal: left, ask: fallback?.ask })
    if ('nearest' in read) throw unknownRef(ref, read)
    const [first] = read.passages
    if (!first) throw notFound()
    const refs = [...new Set(read.passages.map((passage) => passage.ref))]
    const links = await linksFrom(library.system, refs)
    const { text, truncated } = passagesText(read.passages)
    return {
      id: ref,
      title: first.heRef === '' ? first.ref : `${first.ref} (${first.heRef})`,
      text,
      url: passageUrl(origin, first),
      metadata: {
        work: first.work,
        author: first.author,
        refs,
        languages: [...new Set(read.passages.map(({ language }) => language))],
        licenses: [...new Set(read.passages.map(({ license }) => license))],
        links: [...new Set([...links.values()].flat())],
        ...(truncated && { truncated }),
      },
    }
  })
}

function registerVerify(server: McpServer, { services, limits, principal, left }: Caller): void {
  server.registerTool(
    'verify_quotations',
    {
      title: 'Check quotations',
      description:
        'Compares every quotation in a text with the library, and tells which refs of the text exist. Check each answer that quotes a source before you send it.',
      inputSchema: toolInput(verifyInput),
      annotations: reading,
    },
    (input) =>
      toolResult(services.log, 'verify_quotations', async () =>
        dataResult(
          await limits.verifications.run(principal.accountId, left, () =>
            verifyInThread(services.library, input, left),
          ),
        ),
      ),
  )
}

function registerWorks(server: McpServer, { services }: Caller): void {
  server.registerTool(
    'list_works',
    {
      title: 'List the works',
      description: 'Lists the works of the library by title: all, or those of a category or an author.',
      inputSchema: toolInput(worksInput),
      annotations: reading,
    },
    ({ limit, ...filter }) =>
      toolResult(services.log, 'list_works', async () => {
        const works = await listWorks(services.library.system, { ...filter, limit: limit + 1 })
        return dataResult({ works: works.slice(0, limit), has_more: works.length > limit })
      }),
  )
}

/** The agent's own tools that are offered under the same names, with their titles. */
const scholarTitles: ReadonlyMap<string, string> = new Map([
  ['resolve_ref', 'Resolve a ref'],
  ['find_parallels', 'Find parallels'],
])

function registerScholarTools(server: McpServer, { services, limits, principal, left }: Caller): void {
  for (const tool of scholarTools(services.library.system, services.fallback?.ask)) {
    const { name, description } = tool.spec
    const title = scholarTitles.get(name)
    if (title === undefined) continue
    const call = (input: z.output<typeof refInput>) =>
      toolResult(services.log, name, async () => {
        const { content, isError } = await limits.searches.run(principal.accountId, left, () =>
          tool.execute(input, left),
        )
        return isError ? errorResult(content) : dataResult(JSON.parse(content) as object)
      })
    server.registerTool(
      name,
      { title, description, inputSchema: toolInput(refInput), annotations: reading },
      call,
    )
  }
}

/** Maximum characters of one text, so that a section of long passages fits the window of a model. */
const maxCharacters = 60_000

/** Passages of one ref as the text of a document, with its version and licence above each passage. */
export function passagesText(passages: readonly Passage[]): {
  readonly text: string
  readonly truncated: boolean
} {
  let text = ''
  for (const passage of passages) {
    const entry = `${text === '' ? '' : '\n\n'}${headingOf(passage)}\n${passage.text}`
    if (text.length + entry.length <= maxCharacters) {
      text += entry
      continue
    }
    const room = maxCharacters - text.length
    return { text: (text + entry.slice(0, room)).toWellFormed(), truncated: true }
  }
  return { text, truncated: false }
}

function headingOf({ ref, heRef, language, version, license }: Passage): string {
  const names = heRef === '' ? ref : `${ref} · ${heRef}`
  return `[${names} · ${[language, version, license].filter((part) => part !== '').join(', ')}]`
}
