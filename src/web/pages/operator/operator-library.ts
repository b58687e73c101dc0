import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../../../errors.ts'
import { asServiceError } from '../../../http/error-handler.ts'
import {
  type LibrarySize,
  librarySize,
  listHoldings,
  type WorkWithVersions,
} from '../../../sources/library/catalogue.ts'
import { checkLibrary, type LibraryCheck } from '../../../sources/library/writing/check.ts'
import { type CollectionState, collectionStates } from '../../../sources/library-jobs/collection-states.ts'
import { dataTable } from '../../components/data-table.ts'
import { readFields } from '../../components/forms.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery, workHref } from '../../components/library-links.ts'
import { emptyState, notice, type Page, sendPage } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import { operatorsOnly } from '../../components/route-guards.ts'
import { counted, languageName, sourceLink } from '../../components/texts.ts'
import { formatDateTime } from '../../components/times.ts'
import { sizeText } from '../library/library-view.ts'
import type { WebServices } from '../services.ts'
import { collectionSection } from './collections-view.ts'
import { operatorPage } from './operator-page.ts'

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

type Checked = { readonly check: LibraryCheck } | { readonly problem: string }

/** `/operator/library`: what the library has, a check of it, and how to import texts. */
export function operatorLibraryPage(app: FastifyInstance, { library }: WebServices): void {
  const { system } = library

  app.get('/operator/library', operatorsOnly, async (request, reply) => {
    const { after, check } = readFields(query, request.query)
    const holdings = await listHoldings(system, { after: after || undefined, limit: worksShown + 1 })
    return sendPage(
      request,
      reply,
      holdingsPage({
        size: await librarySize(system),
        holdings: holdings.slice(0, worksShown),
        hasMore: holdings.length > worksShown,
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
      return { problem: 'The check takes too long for a page. Run it on the command line, as shown below.' }
    }
  }
}

function holdingsPage(shown: {
  readonly size: LibrarySize
  readonly holdings: readonly WorkWithVersions[]
  readonly hasMore: boolean
  readonly isFirst: boolean
  readonly collections: readonly CollectionState[]
  readonly checked: Checked | undefined
}): Page {
  const { size, holdings, hasMore, isFirst, checked, collections } = shown
  const next = withQuery('/operator/library', { after: holdings.at(-1)?.title })
  return operatorPage({
    title: 'Library, for operators',
    path: '/operator/library',
    scripts: ['follow-imports.js'],
    main: html`${isFirst ? collectionSection(collections) : nothing}
<div class="head"><h2>Library</h2>
<a class="button quiet" href="/operator/library?check=now">Check it now</a></div>
<p class="faint">${sizeText(size)}</p>
${checked === undefined ? nothing : checkResult(checked)}
${holdings.length === 0 ? emptyLibrary : holdingTable(holdings)}
${pager(!isFirst && { label: 'First page', href: '/operator/library' }, hasMore && { label: 'More works', href: next })}
${importHelp}`,
  })
}

const emptyLibrary = emptyState(
  'The library is empty',
  'Add a collection above, or import texts on the command line, as shown below.',
)

function checkResult(checked: Checked): Html {
  if ('problem' in checked) return notice('note', checked.problem)
  const { texts, links, compared, faults } = checked.check
  const extent = `${counted(texts, 'text')} and ${counted(links, 'link')} checked, ${compared} compared with the index.`
  if (faults.length === 0) return notice('done', `No faults found: ${extent}`)
  const details = faults.map(
    ({ rule, rows }) =>
      html`<h3>${rule}</h3><pre tabindex="0">${rows.map((row) => JSON.stringify(row)).join('\n')}</pre>`,
  )
  return html`${notice('problem', `${counted(faults.length, 'rule')} broken; ${extent}`)}${details}`
}

/** A version in the table: the first one of its work has the cell with the title. */
type HoldingRow = WorkWithVersions['versions'][number] & { readonly work: string; readonly workRows: number }

function rowsOf({ title, versions }: WorkWithVersions): readonly HoldingRow[] {
  return versions.map((version, i) => ({ ...version, work: title, workRows: i === 0 ? versions.length : 0 }))
}

function holdingTable(holdings: readonly WorkWithVersions[]): Html {
  return dataTable({
    label: 'Works and versions',
    rows: holdings.flatMap(rowsOf),
    columns: [
      {
        name: 'Work',
        kind: 'title',
        span: ({ workRows }) => workRows,
        cell: ({ work }) => html`<a href="${workHref(work)}" dir="auto">${work}</a>`,
      },
      { name: 'Language', cell: ({ language }) => languageName(language) },
      { name: 'Version', isName: true, cell: ({ title }) => title },
      { name: 'Licence', cell: ({ license }) => html`<bdi>${license}</bdi>` },
      { name: 'Source', cell: ({ url }) => sourceLink(url) },
      { name: 'Texts', kind: 'number', cell: ({ texts }) => texts.toLocaleString('en') },
      { name: 'Imported (UTC)', cell: ({ importedAt }) => formatDateTime(importedAt) },
    ],
  })
}

const commands = [
  { what: 'A collection; without a name, the list of them', command: 'sources add breslov' },
  { what: 'Works from Sefaria, by title', command: 'sources import sefaria "Tanya" "Likutei Moharan"' },
  { what: 'Works from Sefaria’s export files', command: 'sources import sefaria-export --category Chasidut' },
  { what: 'Your own texts, one JSON object per line', command: 'sources import jsonl texts.jsonl' },
  { what: 'A book in Markdown', command: 'sources import markdown book.md' },
  { what: 'Check everything', command: 'sources check' },
  { what: 'Remove a work', command: 'sources remove "Tanya"' },
]

const importHelp = html`<section class="card"><h2>Imports</h2>
<p>These imports run on the command line. An interrupted import continues where it stopped. Run
them in the folder of the service, with its settings; the service can keep running:</p>
<dl class="commands">${commands.map(
  ({ what, command }) =>
    html`<dt>${what}</dt><dd><pre tabindex="0" dir="ltr"><code>npm run -s service -- ${command}</code></pre></dd>`,
)}</dl></section>`
