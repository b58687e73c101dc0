import type { Plan } from '../../../accounts/plans.ts'
import type { Page as ListPage } from '../../../turns/run/paging.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import type { StoredFile } from '../../../workspace/files.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { confirmed, emptyState, notice, type Page } from '../../components/page.ts'
import { pager } from '../../components/paging.ts'
import { bytesText } from '../../components/sizes.ts'
import { moment } from '../../components/times.ts'
import { conversationList } from '../ask/conversation-list.ts'

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
${form.done ? notice('done', form.done) : nothing}
<p>A project keeps conversations and files together. Answers of a project can read and write its files.</p>
${projects.items.length === 0 ? emptyState('No projects yet', html`Make one below, or just <a href="/ask">ask something</a>: the project “My questions” is made by itself.`) : projectList(projects.items)}
${pager(projects, '/projects')}
<section class="card narrow-left"><h2>New project</h2>
${form.problem ? notice('problem', form.problem) : nothing}
<form class="inline-form" method="post" action="/projects"><label>Name <input name="name" required maxlength="200" value="${form.name}" dir="auto" autocomplete="off"></label><button>Make the project</button></form></section>`,
  }
}

function projectList(projects: readonly Project[]): Html {
  return html`<ul class="rows">${projects.map(
    (project) =>
      html`<li><a class="row-title" href="/projects/${project.id}" dir="auto">${project.name}</a><span class="faint">made ${moment(project.createdAt)}</span></li>`,
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
${messages.problem ? notice('problem', messages.problem) : messages.done ? notice('done', messages.done) : nothing}
<h2>Conversations</h2>
${sessions.items.length === 0 ? emptyState('No conversations yet', html`<a href="${askHere}">Ask the first question</a> of this project.`) : conversationList(sessions.items)}
${pager(sessions, path)}
<h2 id="files">Files</h2>
${files.items.length === 0 ? emptyState('No files yet', 'Upload texts, PDF or Word files: answers can read and quote them. Files that answers write appear here too.') : fileTable(files.items)}
${pager(files, path, 'files_after')}
<section class="card narrow-left"><h3>Upload a file</h3>
<form class="inline-form" method="post" action="${path}/files" enctype="multipart/form-data"><label>File <input type="file" name="file" required></label><button>Upload</button></form>
<p class="hint">Up to ${bytesText(plan.fileBytes)} a file on the plan “${plan.name}”.</p></section>
${projectSettings(project)}`,
  }
}

/** Forms that rename and delete the project. */
function projectSettings({ id, name }: Project): Html {
  return html`<section class="card narrow-left"><h3>Project settings</h3>
<form class="inline-form" method="post" action="/projects/${id}/rename"><label>Name <input name="name" required maxlength="200" value="${name}" dir="auto" autocomplete="off"></label><button>Rename</button></form>
${confirmed({
  label: 'Delete the project…',
  question:
    'This deletes its conversations and files and revokes the API keys that are bound to it. It cannot be undone.',
  action: `/projects/${id}/delete`,
  yes: 'Delete everything in it',
})}</section>`
}

function fileTable(files: readonly StoredFile[]): Html {
  return html`<div class="scroll"><table><thead><tr><th>Name</th><th class="number">Size</th><th>Made by</th><th>Changed</th></tr></thead>
<tbody>${files.map(
    (file) => html`<tr><th scope="row"><a href="/files/${file.id}" dir="auto">${file.name}</a></th>
<td class="number">${bytesText(file.bytes)}</td><td>${file.runId === null ? 'an upload' : html`<a href="/runs/${file.runId}">an answer</a>`}</td><td>${moment(file.updatedAt)}</td></tr>`,
  )}</tbody></table></div>`
}
