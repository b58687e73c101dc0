import type { Project } from '../../../turns/sessions/projects.ts'
import { endingOf } from '../../../workspace/documents/file-names.ts'
import type { FileVersion, StoredFile } from '../../../workspace/files.ts'
import type { FileText } from '../../../workspace/texts.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { confirmed, notice, type Page } from '../../components/page.ts'
import { bytesText } from '../../components/sizes.ts'
import { instant, moment } from '../../components/times.ts'
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
    main: html`<p class="crumb"><a href="/projects">Projects</a> › <a href="/projects/${file.projectId}" dir="auto">${project?.name ?? 'Project'}</a></p>
<div class="head"><h1 dir="auto">${file.name}</h1><a class="button" href="/files/${file.id}/content" download>Download</a></div>
${messages.problem ? notice('problem', messages.problem) : messages.done ? notice('done', messages.done) : nothing}
${factList(file)}
<section aria-labelledby="says"><h2 class="sr" id="says">What it says</h2>${text ? textPreview(file, text) : imagePreview(file)}</section>
<h2>Versions</h2>
${versionTable(file, versions)}
<section class="card narrow-left"><h2>Change the file</h2>
<form class="inline-form" method="post" action="/files/${file.id}/rename"><label>Name <input name="name" required maxlength="400" value="${messages.name ?? file.name}" dir="auto" autocomplete="off"></label><button>Save the name</button></form>
<p></p>${confirmed({
      label: 'Delete the file…',
      question: 'The file is removed with all its versions, for good.',
      action: `/files/${file.id}/delete`,
      yes: 'Yes, delete it',
    })}</section>`,
  }
}

function factList(file: StoredFile): Html {
  const facts: readonly (readonly [string, unknown])[] = [
    ['Size', bytesText(file.bytes)],
    ['Type', html`<bdi>${file.contentType}</bdi>`],
    ['Made by', file.runId === null ? 'an upload' : html`<a href="/runs/${file.runId}">an answer</a>`],
    ['Made', instant(file.createdAt)],
    ['Version', file.version],
  ]
  return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

function imagePreview(file: StoredFile): Html {
  return html`<div class="preview"><img src="/files/${file.id}/content" alt="The image ${file.name}"></div>`
}

function textPreview(file: StoredFile, { text, problem, kind }: FileText): Html {
  if (text === '' && problem === '') return notice('note', 'The file is empty.')
  const shown = text.slice(0, charactersShown).toWellFormed()
  const cut = text.length > shown.length
  return html`${problem === '' ? nothing : notice('note', `There is no ${text === '' ? '' : 'whole '}preview. ${problem}`)}
${text === '' ? nothing : html`<div class="preview">${isMarkdown(file, kind) ? html`<div class="answer">${showMarkdown(shown)}</div>` : plainText(shown)}</div>`}
${cut ? notice('note', 'This is the beginning. Download the file to read all of it.') : nothing}`
}

function isMarkdown({ name }: StoredFile, kind: FileText['kind']): boolean {
  return kind === 'text' && ['md', 'markdown'].includes(endingOf(name))
}

/** Plain text; each line gets its own direction. */
function plainText(text: string): Html {
  return html`<div class="preview-text" dir="auto">${text}</div>`
}

function versionTable(file: StoredFile, versions: readonly FileVersion[]): Html {
  return html`<div class="scroll"><table><thead><tr><th>Version</th><th class="number">Size</th><th>Made by</th><th>Made</th><th>Content</th></tr></thead>
<tbody>${versions.map(
    (
      version,
    ) => html`<tr><th scope="row">${version.version}</th><td class="number">${bytesText(version.bytes)}</td>
<td>${version.runId === null ? 'an upload' : html`<a href="/runs/${version.runId}">an answer</a>`}</td><td>${moment(version.createdAt)}</td>
<td><a href="/files/${file.id}/content?version=${version.version}" download aria-label="Download version ${version.version}">Download</a></td></tr>`,
  )}</tbody></table></div>`
}
