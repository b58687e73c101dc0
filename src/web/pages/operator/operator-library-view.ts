import type { LibrarySize, WorkWithVersions } from '../../../sources/library/catalogue.ts'
import type { LibraryCheck } from '../../../sources/library/writing/check.ts'
import type { CollectionState } from '../../../sources/library-jobs/collection-states.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery, workHref } from '../../components/library-links.ts'
import { type Names, nameIn } from '../../components/names.ts'
import { emptyState, notice, type Page } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import { sourceLink } from '../../components/texts.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { collectionSection } from './collections-view.ts'
import { operatorPage } from './operator-page.ts'

export type Checked = { readonly check: LibraryCheck } | { readonly problem: string }

/** What the library holds, below its collections. */
export function libraryStatusPage(
  t: Texts,
  shown: {
    readonly size: LibrarySize
    readonly works: readonly WorkWithVersions[]
    readonly hasMore: boolean
    readonly isFirst: boolean
    readonly collections: readonly CollectionState[]
    readonly checked: Checked | undefined
  },
): Page {
  const texts = t.operator.library
  const { size, works, hasMore, isFirst, checked, collections } = shown
  const next = withQuery('/operator/library', { after: works.at(-1)?.title })
  return operatorPage(t, {
    title: texts.pageTitle,
    path: '/operator/library',
    scripts: ['follow-imports.js'],
    main: html`${isFirst ? collectionSection(t, collections) : nothing}
<div class="head"><h2>${t.operator.accounts.tabs.library}</h2>
<a class="button quiet" href="/operator/library?check=now">${texts.check}</a></div>
<p class="faint">${sizeText(t, size)}</p>
${checked === undefined ? nothing : checkResult(t, checked)}
${works.length === 0 ? emptyState(t.library.empty, texts.emptyHint) : workTable(t, works)}
${pager(
  !isFirst && { label: t.common.firstPage, href: '/operator/library' },
  hasMore && { label: t.library.moreWorks, href: next },
)}
${importHelp(t)}`,
  })
}

/** Such as `3 works in 5 versions, 1,234 texts`. */
function sizeText({ common, operator }: Texts, { works, versions, texts }: LibrarySize): string {
  return operator.library.size(common.works(works), common.versions(versions), common.texts(texts))
}

function checkResult({ common, operator }: Texts, checked: Checked): Html {
  if ('problem' in checked) return notice('note', checked.problem)
  const { texts, links, compared, faults } = checked.check
  const { library } = operator
  const extent = library.extent(common.texts(texts), links, compared)
  if (faults.length === 0) return notice('done', library.noFaults(extent))
  const details = faults.map(
    ({ rule, rows }) =>
      html`<h3 dir="ltr">${rule}</h3>
<pre tabindex="0" dir="ltr">${rows.map((row) => JSON.stringify(row)).join('\n')}</pre>`,
  )
  return html`${notice('problem', `${library.broken(faults.length)}; ${extent}`)}${details}`
}

/** A version in the table: the first one of its work has the cell with the title. */
type WorkRow = WorkWithVersions['versions'][number] & { readonly work: Names; readonly workRows: number }

function rowsOf({ title, heTitle, versions }: WorkWithVersions): readonly WorkRow[] {
  return versions.map((version, i) => ({
    ...version,
    work: { en: title, he: heTitle },
    workRows: i === 0 ? versions.length : 0,
  }))
}

function workTable(t: Texts, works: readonly WorkWithVersions[]): Html {
  const texts = t.operator.library
  return dataTable({
    label: texts.table,
    rows: works.flatMap(rowsOf),
    columns: [
      {
        name: t.search.work,
        kind: 'title',
        span: ({ workRows }) => workRows,
        cell: ({ work }) => html`<a href="${workHref(work.en)}" dir="auto">${nameIn(t, work)}</a>`,
      },
      { name: t.search.language, isPlain: true, cell: ({ language }) => t.languageName(language) },
      { name: texts.version, isName: true, isPlain: true, cell: ({ title }) => t.library.versionName(title) },
      { name: t.search.licence, isPlain: true, cell: ({ license }) => html`<bdi>${license}</bdi>` },
      {
        name: t.common.source,
        isPlain: true,
        cell: ({ url, title, work }) =>
          sourceLink(
            url,
            t.common.source,
            t.common.sourceOf(`${nameIn(t, work)}, ${t.library.versionName(title)}`),
          ),
      },
      { name: texts.texts, kind: 'number', cell: (row) => t.number(row.texts) },
      { name: t.library.imported, cell: ({ importedAt }) => t.minute(importedAt) },
    ],
  })
}

const commands = [
  { what: 'collection', command: 'sources add breslov' },
  { what: 'sefaria', command: 'sources import sefaria "Tanya" "Likutei Moharan"' },
  { what: 'export', command: 'sources import sefaria-export --category Chasidut' },
  { what: 'jsonl', command: 'sources import jsonl texts.jsonl' },
  { what: 'markdown', command: 'sources import markdown book.md' },
  { what: 'check', command: 'sources check' },
  { what: 'remove', command: 'sources remove "Tanya"' },
] as const

function importHelp({ operator: { library } }: Texts): Html {
  return html`<section class="card"><h2>${library.imports}</h2>
<p>${library.importsAbout}</p>
<dl class="commands">${commands.map(
    ({ what, command }) =>
      html`<dt>${library.commands[what]}</dt>
<dd><pre tabindex="0" dir="ltr"><code>npm run -s service -- ${command}</code></pre></dd>`,
  )}</dl></section>`
}
