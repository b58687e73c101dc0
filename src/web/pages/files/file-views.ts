import type { Project } from '../../../turns/sessions/projects.ts'
import { endingOf } from '../../../workspace/documents/file-names.ts'
import type { FileVersion, StoredFile } from '../../../workspace/files.ts'
import type { FileText } from '../../../workspace/texts.ts'
import { confirmDialog } from '../../components/confirm-dialog.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Fact, factList } from '../../components/fact-list.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { notice, outcomeNotice, type Page } from '../../components/page.ts'
import { bytesText } from '../../components/sizes.ts'
import { formatDate, formatDateTime } from '../../components/times.ts'
import { showMarkdown } from '../../markdown/shown-markdown.ts'

export type FileShown = {
  readonly file: StoredFile
  readonly project: Project | undefined
  readonly versions: readonly FileVersion[]
  /** Undefined for an image. */
  readonly text: FileText | undefined
}

/** Image types that browsers display without running code; SVG can contain scripts. */
const images = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export function isSafeImage({ contentType }: Pick<StoredFile, 'contentType'>): boolean {
  return images.has(contentType.toLowerCase())
}

/** Maximum characters of a text on a page; the download has all of it. */
const charactersShown = 40_000

type Messages = {
  readonly problem?: string
  readonly name?: string
  readonly done?: string | undefined
}

/** A file: its data, its text, its versions, and its actions. */
export function filePage({ file, project, versions, text }: FileShown, messages: Messages): Page {
  return {
    title: file.name,
    section: 'projects',
    sheets: ['files', 'conversation'],
    main: html`<p class="crumb"><a href="/projects">Projects</a> ›
<a href="/projects/${file.projectId}" dir="auto">${project?.name ?? 'Project'}</a></p>
<div class="head"><h1 dir="auto">${file.name}</h1>
<a class="button" href="/files/${file.id}/content" download>Download</a></div>
${outcomeNotice(messages)}
${factList(factsOf(file))}
<section aria-labelledby="content"><h2 class="sr" id="content">Content</h2>
${text ? textPreview(file, text) : imagePreview(file)}</section>
<h2>Versions</h2>
${versionTable(file, versions)}
${changeCard(file, messages.name ?? file.name)}`,
  }
}

function changeCard({ id }: StoredFile, name: string): Html {
  return html`<section class="card narrow-left"><h2>Change the file</h2>
<form class="inline-form" method="post" action="/files/${id}/rename">
<label>Name <input name="name" required maxlength="400" value="${name}" dir="auto" autocomplete="off"></label>
<button>Rename</button></form>
${confirmDialog({
  label: 'Delete the file…',
  question: 'This permanently deletes the file with all its versions.',
  action: `/files/${id}/delete`,
  confirm: 'Yes, delete it',
})}</section>`
}

function factsOf(file: StoredFile): readonly Fact[] {
  return [
    ['Size', bytesText(file.bytes)],
    ['Type', html`<bdi>${file.contentType}</bdi>`],
    ['Origin', originOf(file)],
    ['Created', formatDateTime(file.createdAt)],
    ['Version', file.version],
  ]
}

/** Whether a person uploaded a file, or a turn wrote it. */
export function originOf({ runId }: Pick<StoredFile, 'runId'>): Html {
  return runId === null ? html`Uploaded` : html`<a href="/runs/${runId}">An answer</a>`
}

function imagePreview(file: StoredFile): Html {
  return html`<div class="preview"><img src="/files/${file.id}/content" alt="The image ${file.name}"></div>`
}

function textPreview(file: StoredFile, { text, problem, kind }: FileText): Html {
  if (text === '' && problem === '') return notice('note', 'The file is empty.')
  const shown = text.slice(0, charactersShown).toWellFormed()
  const isCut = text.length > shown.length
  const missing = text === '' ? 'There is no preview.' : 'The preview is incomplete.'
  const content = isMarkdown(file, kind)
    ? html`<div class="answer">${showMarkdown(shown)}</div>`
    : plainText(shown)
  return html`${problem === '' ? nothing : notice('note', `${missing} ${problem}`)}
${text === '' ? nothing : html`<div class="preview">${content}</div>`}
${isCut ? notice('note', 'The preview shows only the beginning. Download the file to read all of it.') : nothing}`
}

function isMarkdown({ name }: StoredFile, kind: FileText['kind']): boolean {
  return kind === 'text' && ['md', 'markdown'].includes(endingOf(name))
}

/** Plain text; each line gets its own direction. */
function plainText(text: string): Html {
  return html`<div class="preview-text" dir="auto">${text}</div>`
}

function versionTable(file: StoredFile, versions: readonly FileVersion[]): Html {
  return dataTable({
    label: 'Versions',
    rows: versions,
    columns: [
      { name: 'Version', kind: 'title', cell: ({ version }) => version },
      { name: 'Size', kind: 'number', cell: ({ bytes }) => bytesText(bytes) },
      { name: 'Origin', cell: originOf },
      { name: 'Created', cell: ({ createdAt }) => formatDate(createdAt) },
      { name: 'Content', cell: ({ version }) => downloadLink(file, version) },
    ],
  })
}

function downloadLink({ id }: StoredFile, version: number): Html {
  return html`<a href="/files/${id}/content?version=${version}" download aria-label="Download version ${version}">
Download</a>`
}
