import type { Plan } from '../../../accounts/plans.ts'
import type { Page as ListPage } from '../../../turns/run/paging.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import type { StoredFile } from '../../../workspace/files.ts'
import { confirmDialog } from '../../components/confirm-dialog.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Html, html } from '../../components/html.ts'
import { emptyState, outcomeNotice, type Page } from '../../components/page.ts'
import { olderPage, pager } from '../../components/pager.ts'
import { bytesText } from '../../components/sizes.ts'
import { formatDate } from '../../components/times.ts'
import { conversationList } from '../ask/conversation-list.ts'
import { originOf } from '../files/file-views.ts'

/** All projects, newest first, and a form for a new one. */
export function projectsPage(
  projects: ListPage<Project>,
  form: { readonly name: string; readonly problem?: string; readonly done?: string | undefined },
): Page {
  return {
    title: 'Projects',
    section: 'projects',
    sheets: ['files'],
    main: html`<h1>Projects</h1>
${outcomeNotice({ done: form.done })}
<p>A project keeps conversations and files together. Answers in a project can read and write its files.</p>
${projects.items.length === 0 ? noProjects : projectList(projects.items)}
${pager(olderPage(projects, '/projects'))}
<section class="card narrow-left"><h2>New project</h2>
${outcomeNotice({ problem: form.problem })}
${nameForm({ action: '/projects', name: form.name, submit: 'Create project' })}</section>`,
  }
}

const noProjects = emptyState(
  'No projects yet',
  html`Create one below, or <a href="/ask">ask a question</a>: the first question creates the project
“My questions”.`,
)

function nameForm(form: { readonly action: string; readonly name: string; readonly submit: string }): Html {
  return html`<form class="inline-form" method="post" action="${form.action}">
<label>Name <input name="name" required maxlength="200" value="${form.name}" dir="auto" autocomplete="off"></label>
<button>${form.submit}</button></form>`
}

function projectList(projects: readonly Project[]): Html {
  return html`<ul class="rows">${projects.map(
    ({ id, name, createdAt }) =>
      html`<li><a class="row-title" href="/projects/${id}" dir="auto">${name}</a>
<span class="faint">created ${formatDate(createdAt)}</span></li>`,
  )}</ul>`
}

export type ProjectShown = {
  readonly project: Project
  readonly plan: Plan
  readonly sessions: ListPage<Session>
  readonly files: ListPage<StoredFile>
}

/** One project: its conversations and its files. */
export function projectPage(
  { project, plan, sessions, files }: ProjectShown,
  messages: { readonly problem?: string; readonly done?: string | undefined },
): Page {
  const path = `/projects/${project.id}`
  const askHere = `/ask?project=${project.id}`
  return {
    title: project.name,
    section: 'projects',
    sheets: ['files'],
    main: html`<p class="crumb"><a href="/projects">Projects</a></p>
<div class="head"><h1 dir="auto">${project.name}</h1><a class="button" href="${askHere}">Ask in this project</a></div>
${outcomeNotice(messages)}
<h2>Conversations</h2>
${sessions.items.length === 0 ? noConversations(askHere) : conversationList(sessions.items)}
${pager(olderPage(sessions, path))}
<h2 id="files">Files</h2>
${files.items.length === 0 ? noFiles : fileTable(files.items)}
${pager(olderPage(files, path, 'files_after'))}
${uploadCard(path, plan)}
${settingsCard(project)}`,
  }
}

function noConversations(askHere: string): Html {
  return emptyState(
    'No conversations yet',
    html`<a href="${askHere}">Ask the first question</a> in this project.`,
  )
}

const noFiles = emptyState(
  'No files yet',
  'Upload texts, PDF or Word files: answers can read and quote them. Files that answers write appear here too.',
)

function uploadCard(path: string, plan: Plan): Html {
  return html`<section class="card narrow-left"><h3>Upload a file</h3>
<form class="inline-form" method="post" action="${path}/files" enctype="multipart/form-data">
<label>File <input type="file" name="file" required></label><button>Upload</button></form>
<p class="hint">At most ${bytesText(plan.fileBytes)} per file on the plan “${plan.name}”.</p></section>`
}

/** Renames and deletes the project. */
function settingsCard({ id, name }: Project): Html {
  return html`<section class="card narrow-left"><h3>Project settings</h3>
${nameForm({ action: `/projects/${id}/rename`, name, submit: 'Rename' })}
${confirmDialog({
  label: 'Delete the project…',
  question:
    'This permanently deletes its conversations and files, and revokes the API keys that are bound to it.',
  action: `/projects/${id}/delete`,
  confirm: 'Delete everything in it',
})}</section>`
}

function fileTable(files: readonly StoredFile[]): Html {
  return dataTable({
    label: 'Files',
    rows: files,
    columns: [
      {
        name: 'Name',
        kind: 'title',
        cell: ({ id, name }) => html`<a href="/files/${id}" dir="auto">${name}</a>`,
      },
      { name: 'Size', kind: 'number', cell: ({ bytes }) => bytesText(bytes) },
      { name: 'Origin', cell: originOf },
      { name: 'Changed', cell: ({ updatedAt }) => formatDate(updatedAt) },
    ],
  })
}
