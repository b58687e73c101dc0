import type { Plan } from '../../../accounts/plans.ts'
import { bounds } from '../../../http/limits/bounds.ts'
import type { Page as ListPage } from '../../../turns/run/paging.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import type { ListedSession, RecentSession } from '../../../turns/sessions/session-families.ts'
import type { StoredFile } from '../../../workspace/files.ts'
import { dataTable } from '../../components/data-table.ts'
import { confirmDialog } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, outcomeNotice, type Page } from '../../components/page.ts'
import { olderPage, pager } from '../../components/pager.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { nameOf } from '../ask/ask-form.ts'
import { originOf } from '../files/file-views.ts'
import { projectName } from '../wording.ts'

/** All projects, newest first, and a form for a new one. */
export function projectsPage(
  t: Texts,
  projects: ListPage<Project>,
  form: { readonly name: string; readonly problem?: string; readonly done?: string | undefined },
): Page {
  const { common } = t
  const texts = t.projects
  return {
    title: t.frame.projects,
    section: 'projects',
    sheets: ['files'],
    main: html`<h1>${t.frame.projects}</h1>
${outcomeNotice({ done: form.done })}
<p>${texts.about}</p>
${projects.items.length === 0 ? emptyState(texts.none, texts.noneHint) : projectList(t, projects.items)}
${pager(olderPage(projects, '/projects', 'after', common.older))}
<section class="card narrow-left"><h2>${texts.newProject}</h2>
${outcomeNotice({ problem: form.problem })}
${nameForm(t, { action: '/projects', name: form.name, submit: texts.create })}</section>`,
  }
}

function nameForm(
  { common }: Texts,
  form: { readonly action: string; readonly name: string; readonly submit: string },
): Html {
  return html`<form class="row inline-form" method="post" action="${form.action}">
<label>${common.name}
<input name="name" required maxlength="200" value="${form.name}" dir="auto" autocomplete="off"></label>
<button>${form.submit}</button></form>`
}

function projectList(t: Texts, projects: readonly Project[]): Html {
  return html`<ul class="rows">${projects.map(
    ({ id, name, createdAt }) =>
      html`<li><a class="row-title" href="/projects/${id}" dir="auto">${projectName(t, name)}</a>
<span class="faint">${t.projects.created(t.day(createdAt))}</span></li>`,
  )}</ul>`
}

export type ProjectShown = {
  readonly project: Project
  readonly instructions: string
  readonly plan: Plan
  readonly sessions: ListPage<RecentSession>
  readonly files: ListPage<StoredFile>
}

/** One project: its conversations and its files. */
export function projectPage(
  t: Texts,
  { project, instructions, plan, sessions, files }: ProjectShown,
  messages: { readonly problem?: string; readonly done?: string | undefined; readonly name?: string },
): Page {
  const { common } = t
  const texts = t.projects
  const path = `/projects/${project.id}`
  const askHere = `/ask?project=${project.id}`
  const oldest = sessions.items.at(-1)?.updatedAt.toISOString()
  return {
    title: projectName(t, project.name),
    section: 'projects',
    sheets: ['files'],
    scripts: ['file-field.js'],
    main: html`<p class="crumb"><a href="/projects">${t.frame.projects}</a></p>
<div class="head"><h1 dir="auto">${projectName(t, project.name)}</h1>
<a class="button" href="${askHere}">${texts.askHere}</a></div>
${outcomeNotice(messages)}
<h2>${t.ask.conversations}</h2>
${sessions.items.length === 0 ? noConversations(t, askHere) : conversationList(t, sessions.items)}
${pager(sessions.hasMore && oldest !== undefined && { label: common.older, href: `${path}?older=${oldest}` })}
<h2 id="files">${texts.files}</h2>
${files.items.length === 0 ? emptyState(texts.noFiles, texts.noFilesHint) : fileTable(t, files.items)}
${pager(olderPage(files, path, 'files_after', common.older))}
${uploadCard(t, path, plan)}
${instructionsCard(t, project, instructions)}
${settingsCard(t, project, messages.name)}`,
  }
}

function noConversations({ projects }: Texts, askHere: string): Html {
  return emptyState(projects.noConversations, projects.askFirst(askHere))
}

function uploadCard({ bytes, common, projects }: Texts, path: string, plan: Plan): Html {
  return html`<section class="card narrow-left"><h2>${projects.uploadFile}</h2>
<form class="row inline-form" method="post" action="${path}/files" enctype="multipart/form-data">
<div class="file-field"><label for="upload">${projects.file}</label>
<div class="file-box"><span class="button quiet" aria-hidden="true">${projects.chooseFile}</span>
<bdi class="file-name" aria-hidden="true">${projects.noneChosen}</bdi>
<input type="file" id="upload" name="file" required></div></div><button>${projects.upload}</button></form>
<p class="hint">${projects.maxSize(bytes(plan.fileBytes), common.planName(plan.name))}</p></section>`
}

/** What answers in the project follow. */
function instructionsCard({ projects }: Texts, { id }: Project, instructions: string): Html {
  return html`<section class="card narrow-left" id="instructions"><h2>${projects.instructions}</h2>
<form method="post" action="/projects/${id}/instructions">
<label>${projects.instructionsLabel}
<textarea name="instructions" rows="5" maxlength="${bounds.projectInstructions.max}" dir="auto"
aria-describedby="instructions-hint">${instructions}</textarea></label>
<p class="hint" id="instructions-hint">${projects.instructionsHint}</p>
<button>${projects.saveInstructions}</button></form></section>`
}

/** Renames and deletes the project. @param written the name that was refused. */
function settingsCard(t: Texts, { id, name }: Project, written = name): Html {
  const { common, projects } = t
  return html`<section class="card narrow-left"><h2>${projects.settings}</h2>
${nameForm(t, { action: `/projects/${id}/rename`, name: written, submit: common.rename })}
${confirmDialog(t, {
  label: projects.deleteDots,
  question: projects.deleteQuestion,
  action: `/projects/${id}/delete`,
  confirm: projects.deleteConfirm,
})}</section>`
}

function fileTable(t: Texts, files: readonly StoredFile[]): Html {
  const { common, projects } = t
  return dataTable({
    label: projects.files,
    rows: files,
    columns: [
      {
        name: common.name,
        kind: 'title',
        cell: ({ id, name }) => html`<a href="/files/${id}" dir="auto">${name}</a>`,
      },
      { name: t.common.size, kind: 'number', cell: ({ bytes }) => t.bytes(bytes) },
      { name: t.files.origin, cell: (file) => originOf(t, file) },
      { name: projects.changed, cell: ({ updatedAt }) => t.day(updatedAt) },
    ],
  })
}

/** Conversations as rows, newest first, each with its branches below it. */
function conversationList(t: Texts, sessions: readonly RecentSession[]): Html {
  return html`<ul class="rows">${sessions.map((session) => {
    const branches = session.branches.map((branch) => html`<li>${row(t, branch)}</li>`)
    const below =
      branches.length === 0
        ? nothing
        : html`<ul class="branch-rows" aria-label="${t.ask.branches}">${branches}</ul>`
    return html`<li>${row(t, session)}${below}</li>`
  })}</ul>`
}

function row(t: Texts, session: ListedSession): Html {
  return html`<a class="row-title" href="/sessions/${session.id}" dir="auto">${nameOf(t, session)}</a>
<span class="row-facts faint">${t.common.questions(session.turnCount)} · ${t.day(session.createdAt)}</span>`
}
