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
import { readFields } from '../../components/forms.ts'
import { operator } from '../../components/guards.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery, workHref } from '../../components/library-links.ts'
import { emptyState, notice, type Page, sendPage, tabs } from '../../components/page.ts'
import { counted, languageName, sourceLink } from '../../components/texts.ts'
import { instant } from '../../components/times.ts'
import type { WebServices } from '../services.ts'
import { operatorTabs } from './operator-tabs.ts'

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

/** `/operator/library`: contents of the library, their check, and how to import more. */
export function operatorLibraryPage(app: FastifyInstance, { database }: WebServices): void {
  const { system } = database

  app.get('/operator/library', operator, async (request, reply) => {
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
      return { problem: 'The check takes longer than a page may wait. Run it on the command line, as below.' }
    }
  }
}

function holdingsPage(shown: {
  readonly size: LibrarySize
  readonly holdings: readonly WorkWithVersions[]
  readonly hasMore: boolean
  readonly isFirst: boolean
  readonly checked: Checked | undefined
}): Page {
  const { size, holdings, hasMore, isFirst, checked } = shown
  return {
    title: 'Library, for operators',
    section: 'operator',
    sheets: ['operator'],
    main: html`<h1>Operator</h1>${tabs(operatorTabs, '/operator/library')}
<div class="head"><h2>Library</h2><a class="button quiet" href="/operator/library?check=now">Check it now</a></div>
<p class="faint">${counted(size.works, 'work')} in ${counted(size.versions, 'version')}, ${counted(size.texts, 'text')}</p>
${checked === undefined ? nothing : checkResult(checked)}
${holdings.length === 0 ? emptyState('The library is empty', 'Import texts on the command line, as below.') : holdingTable(holdings)}
<p class="pager">${isFirst ? nothing : html`<a class="button quiet" href="/operator/library">From the start</a>`}${hasMore ? html`<a class="button quiet" href="${withQuery('/operator/library', { after: holdings.at(-1)?.title })}">More works</a>` : nothing}</p>
${importHelp()}`,
  }
}

function checkResult(checked: Checked): Html {
  if ('problem' in checked) return notice('note', checked.problem)
  const { check } = checked
  const looked = `${counted(check.texts, 'text')} and ${counted(check.links, 'link')} looked at, ${counted(check.compared, 'text')} compared with the index.`
  if (check.faults.length === 0) return notice('done', `The library is whole: ${looked}`)
  return html`${notice('problem', `${counted(check.faults.length, 'rule')} broken; ${looked}`)}${check.faults.map(({ rule, rows }) => html`<h3>${rule}</h3><pre tabindex="0">${rows.map((row) => JSON.stringify(row)).join('\n')}</pre>`)}`
}

function holdingTable(holdings: readonly WorkWithVersions[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Works and versions"><table><thead><tr><th>Work</th><th>Language</th><th>Version</th><th>Licence</th><th>Source</th><th class="number">Texts</th><th>Imported (UTC)</th></tr></thead><tbody>${holdings.map(
    ({ title, versions }) =>
      html`${versions.map(
        (version, i) =>
          html`<tr>${i === 0 ? html`<th scope="rowgroup" rowspan="${versions.length}"><a href="${workHref(title)}" dir="auto">${title}</a></th>` : nothing}<td>${languageName(version.language)}</td><td dir="auto">${version.title}</td><td><bdi>${version.license}</bdi></td><td>${sourceLink(version.url)}</td><td class="number">${version.texts.toLocaleString('en')}</td><td>${instant(version.importedAt)}</td></tr>`,
      )}`,
  )}</tbody></table></div>`
}

const commands = [
  { what: 'Works from Sefaria, by title', command: 'sources import sefaria "Tanya" "Likutei Moharan"' },
  { what: 'Works from Sefaria’s export files', command: 'sources import sefaria-export --category Chasidut' },
  { what: 'Texts of your own, one JSON object a line', command: 'sources import jsonl texts.jsonl' },
  { what: 'A book in Markdown', command: 'sources import markdown book.md' },
  { what: 'Check everything', command: 'sources check' },
  { what: 'Remove a work', command: 'sources remove "Tanya"' },
]

function importHelp(): Html {
  return html`<section class="card"><h2>Imports</h2><p>Imports are not started from this page: they can take hours and may be cut off and continued, which wants a terminal. Run them in the service’s folder, with the service’s settings, while it goes on serving:</p>
<dl class="commands">${commands.map(({ what, command }) => html`<dt>${what}</dt><dd><pre tabindex="0" dir="ltr"><code>npm run -s service -- ${command}</code></pre></dd>`)}</dl></section>`
}
