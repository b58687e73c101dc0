import type { Project } from '../../../turns/sessions/projects.ts'
import { endingOf } from '../../../workspace/documents/file-names.ts'
import type { FileVersion, StoredFile } from '../../../workspace/files.ts'
import type { FileText } from '../../../workspace/texts.ts'
import { dataTable, type Fact, factList } from '../../components/data-table.ts'
import { confirmDialog } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { notice, outcomeNotice, type Page } from '../../components/page.ts'
import { linkedText } from '../../components/texts.ts'
import { showMarkdown } from '../../markdown/shown-markdown.ts'
import type { Texts } from '../../texts/catalogue.ts'
import type { PlacedRef } from '../ask/source-views.ts'

export type FileShown = {
  readonly file: StoredFile
  readonly project: Project | undefined
  readonly versions: readonly FileVersion[]
  /** Undefined for an image. */
  readonly text: FileText | undefined
  /** The refs that its text names. */
  readonly refs: readonly PlacedRef[]
}

/** Image types that browsers display without running code; SVG can contain scripts. */
const images = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export function isSafeImage({ contentType }: Pick<StoredFile, 'contentType'>): boolean {
  return images.has(contentType.toLowerCase())
}

/** Maximum characters of a text on a page; the download has all of it. */
export const charactersShown = 40_000

type Messages = {
  readonly problem?: string
  readonly name?: string
  readonly done?: string | undefined
  readonly note?: string | undefined
}

/** A file: its data, its text, its versions, and its actions. */
export function filePage(t: Texts, shown: FileShown, messages: Messages): Page {
  const { file, project, versions, text, refs } = shown
  const { common, files } = t
  return {
    title: file.name,
    section: 'projects',
    sheets: ['files', 'conversation', 'ref-preview'],
    scripts: ['ref-preview.js'],
    main: html`<p class="crumb"><a href="/projects">${t.frame.projects}</a> /
<a href="/projects/${file.projectId}" dir="auto">${project?.name ?? common.project}</a></p>
<div class="head"><h1 dir="auto">${file.name}</h1>
<a class="button" href="/files/${file.id}/content" download>${common.download}</a></div>
${outcomeNotice(messages)}
${messages.note ? notice('note', messages.note) : nothing}
${factList(factsOf(t, file))}
<section aria-labelledby="content"><h2 class="sr" id="content">${files.content}</h2>
${text ? textPreview(t, file, text, refs) : imagePreview(t, file)}</section>
<h2>${files.versions}</h2>
${versionTable(t, file, versions)}
${changeCard(t, file, messages.name ?? file.name)}`,
  }
}

function changeCard(t: Texts, { id }: StoredFile, name: string): Html {
  const { common, files } = t
  return html`<section class="card narrow-left"><h2>${files.change}</h2>
<form class="row inline-form" method="post" action="/files/${id}/rename">
<label>${common.name}
<input name="name" required maxlength="400" value="${name}" dir="auto" autocomplete="off"></label>
<button>${common.rename}</button></form>
${confirmDialog(t, {
  label: files.deleteDots,
  question: files.deleteQuestion,
  action: `/files/${id}/delete`,
  confirm: files.deleteConfirm,
})}</section>`
}

function factsOf(t: Texts, file: StoredFile): readonly Fact[] {
  const { common, files } = t
  return [
    [t.common.size, t.bytes(file.bytes)],
    [files.type, html`<bdi>${files.typeName(file.contentType.replace(/\s*;.*$/s, '').toLowerCase())}</bdi>`],
    [files.origin, originOf(t, file)],
    [common.created, t.minute(file.createdAt)],
    [files.version, file.version],
  ]
}

/** Whether a person uploaded a file, or a turn wrote it. */
export function originOf({ files }: Texts, { runId }: Pick<StoredFile, 'runId'>): Html {
  return runId === null ? html`${files.uploaded}` : html`<a href="/runs/${runId}">${files.anAnswer}</a>`
}

function imagePreview({ files }: Texts, { id, name }: StoredFile): Html {
  return html`<div class="preview"><img src="/files/${id}/content" alt="${files.image(name)}"></div>`
}

function textPreview(
  t: Texts,
  file: StoredFile,
  { text, problem: reason, kind }: FileText,
  refs: readonly PlacedRef[],
): Html {
  const { files } = t
  if (text === '' && reason === '') return notice('note', files.empty)
  const shown = text.slice(0, charactersShown).toWellFormed()
  const isCut = text.length > shown.length
  const problem = t.translate(reason)
  const missing = text === '' ? files.noPreview(problem) : files.partPreview(problem)
  const content = isMarkdown(file, kind)
    ? html`<div class="answer">${showMarkdown(shown, { refs })}</div>`
    : plainText(shown, refs)
  return html`${reason === '' ? nothing : notice('note', missing)}
${text === '' ? nothing : html`<div class="preview">${content}</div>`}
${isCut ? notice('note', files.cut) : nothing}`
}

function isMarkdown({ name }: StoredFile, kind: FileText['kind']): boolean {
  return kind === 'text' && ['md', 'markdown'].includes(endingOf(name))
}

/** Plain text with its refs as links; each line gets its own direction. */
function plainText(text: string, refs: readonly PlacedRef[]): Html {
  return html`<div class="preview-text" dir="auto">${linkedText(text, refs)}</div>`
}

function versionTable(t: Texts, file: StoredFile, versions: readonly FileVersion[]): Html {
  const { common, files } = t
  return dataTable({
    label: files.versions,
    rows: versions,
    columns: [
      { name: files.version, kind: 'title', cell: ({ version }) => version },
      { name: t.common.size, kind: 'number', cell: ({ bytes }) => t.bytes(bytes) },
      { name: files.origin, cell: (version) => originOf(t, version) },
      { name: common.created, cell: ({ createdAt }) => t.day(createdAt) },
      { name: files.content, cell: ({ version }) => downloadLink(t, file, version) },
    ],
  })
}

function downloadLink({ common, files }: Texts, { id }: StoredFile, version: number): Html {
  return html`<a href="/files/${id}/content?version=${version}" download
aria-label="${files.downloadVersion(version)}">${common.download}</a>`
}
