import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { notFound, ServiceError } from '../../../errors.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { bounds } from '../../../http/limits/bounds.ts'
import { receiveFile } from '../../../http/transfers/upload.ts'
import { deleteProject } from '../../../turns/sessions/delete-project.ts'
import { listFiles } from '../../../turns/sessions/project-files.ts'
import {
  changeProject,
  createProject,
  currentInstructions,
  findProject,
  listProjects,
} from '../../../turns/sessions/projects.ts'
import { recentSessions } from '../../../turns/sessions/recent-sessions.ts'
import type { StoredFile } from '../../../workspace/files.ts'
import { fileText } from '../../../workspace/texts.ts'
import { doneMessage, readFields, sendFormAgain } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { namedId, olderThan, pageOfAddress } from '../../components/pager.ts'
import { accountsOnly, adminsOnly, membersOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import { isSafeImage } from '../files/file-views.ts'
import type { WebServices } from '../services.ts'
import { type ProjectShown, projectPage, projectsPage } from './project-views.ts'

const projectForm = z.object({
  name: z.string().max(1_000).trim(),
})

/** Browsers send line ends as CRLF. */
const instructionsForm = z.object({
  instructions: z
    .string()
    .max(100_000)
    .transform((text) => text.replaceAll('\r\n', '\n').trim()),
})

function requireInstructions(text: string): void {
  if ([...text].length > bounds.projectInstructions.max)
    throw new ServiceError('invalid_value', 'The instructions are too long: at most 8,000 characters.')
}

function requireName(name: string): void {
  if (name === '') throw new ServiceError('invalid_value', 'Enter a name for the project.')
  if (name.length > 200)
    throw new ServiceError('invalid_value', 'The name is too long: at most 200 characters.')
}

/** Conversations on the page of a project; a link leads to older ones. */
const shownSessions = 20

/** `/projects` and `/projects/{id}`: projects, with their conversations and files. */
export function projectPages(app: FastifyInstance, services: WebServices): void {
  const { database } = services

  app.get('/projects', accountsOnly, async (request, reply) =>
    sendPage(
      reply,
      projectsPage(textsOf(request), await projectsOf(request), {
        name: '',
        done: doneMessage(request, textsOf(request).projects.done),
      }),
    ),
  )

  app.post('/projects', membersOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const { name } = readFields(projectForm, request.body)
    try {
      requireName(name)
      const project = await withTx(database, principal, (tx) => createProject(tx, principal, name))
      return reply.redirect(`/projects/${project.id}`, 303)
    } catch (error) {
      return sendFormAgain(reply, error, async (problem) =>
        projectsPage(textsOf(request), await projectsOf(request), { name, problem }),
      )
    }
  })

  app.get('/projects/:id', accountsOnly, async (request, reply) => {
    const shown = await projectOf(services, request)
    return sendPage(
      reply,
      projectPage(textsOf(request), shown, { done: doneMessage(request, textsOf(request).projects.done) }),
    )
  })

  app.post('/projects/:id/files', membersOnly, async (request, reply) => {
    try {
      const file = await receiveFile(services, request, { project: namedId(request), versions: true })
      return reply.redirect(await afterUpload(services, file, disconnectSignal(reply)), 303)
    } catch (error) {
      const shown = await projectOf(services, request)
      return again(request, reply, error, shown)
    }
  })

  projectSettings(app, services)

  function projectsOf(request: FastifyRequest) {
    const { principal } = visitorOf(request)
    return withTx(database, principal, (tx) => listProjects(tx, principal, pageOfAddress(request)))
  }
}

/** Where an upload leads: to its project, or to the page of a file without a text, which says why. */
async function afterUpload(services: WebServices, file: StoredFile, left: AbortSignal): Promise<string> {
  const isImage = isSafeImage(file)
  const { text, problem } = isImage ? { text: '', problem: '' } : await fileText(services, file, left)
  if (text === '' && problem !== '') return `/files/${file.id}?done=unread`
  const done = file.version > 1 ? 'uploaded-version' : isImage ? 'uploaded-image' : 'uploaded'
  return `/projects/${file.projectId}?done=${done}#files`
}

/** Renames and deletes a project, and changes its instructions. */
function projectSettings(app: FastifyInstance, services: WebServices): void {
  const { database } = services

  app.post('/projects/:id/rename', membersOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const { name } = readFields(projectForm, request.body)
    const shown = await projectOf(services, request)
    try {
      requireName(name)
      await withTx(database, principal, (tx) => changeProject(tx, principal, shown.project.id, { name }))
    } catch (error) {
      return again(request, reply, error, shown, name)
    }
    return reply.redirect(`/projects/${shown.project.id}?done=renamed`, 303)
  })

  app.post('/projects/:id/instructions', membersOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const { instructions } = readFields(instructionsForm, request.body)
    const shown = await projectOf(services, request)
    try {
      requireInstructions(instructions)
      await withTx(database, principal, (tx) =>
        changeProject(tx, principal, shown.project.id, { instructions }),
      )
    } catch (error) {
      return again(request, reply, error, { ...shown, instructions })
    }
    return reply.redirect(`/projects/${shown.project.id}?done=instructed`, 303)
  })

  app.post('/projects/:id/delete', adminsOnly, async (request, reply) => {
    const shown = await projectOf(services, request)
    try {
      await deleteProject(database, visitorOf(request).principal, shown.project.id)
    } catch (error) {
      return again(request, reply, error, shown)
    }
    return reply.redirect('/projects?done=deleted', 303)
  })
}

const again = (
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  shown: ProjectShown,
  name?: string,
) =>
  sendFormAgain(reply, error, (problem) =>
    projectPage(textsOf(request), shown, { problem, ...(name !== undefined && { name }) }),
  )

function projectOf({ database }: WebServices, request: FastifyRequest): Promise<ProjectShown> {
  const { principal } = visitorOf(request)
  return withTx(database, principal, async (tx) => {
    const project = await findProject(tx, principal, namedId(request))
    if (!project) throw notFound()
    const files = pageOfAddress(request, 'files_after')
    return {
      project,
      instructions: (await currentInstructions(tx, project)) ?? '',
      plan: principal.plan,
      sessions: await recentSessions(tx, principal, {
        projectId: project.id,
        before: olderThan(request),
        limit: shownSessions,
      }),
      files: await listFiles(tx, principal, files, { projectId: project.id }),
    }
  })
}
