import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { withTx } from '../db/client.ts'
import { principalOf, resourceOf } from '../http/auth.ts'
import type { ResourceLookup } from '../http/connection/fastify.ts'
import { atMost, bounds } from '../http/limits/bounds.ts'
import { listBody, pageQuery, unixSeconds } from '../http/lists.ts'
import { type BodyOf, instant, listOf, type RouteDocs } from '../http/openapi/docs.ts'
import type { ZodTypes } from '../http/openapi/zod.ts'
import type { Services } from '../turns/services.ts'
import { deleteProject } from '../turns/sessions/delete-project.ts'
import {
  createProject,
  findProject,
  listProjects,
  type Project,
  renameProject,
} from '../turns/sessions/projects.ts'

const namedProject: ResourceLookup = (tx, principal, params) => findProject(tx, principal, params['id'] ?? '')

const projectSchema = z
  .object({ id: z.string(), object: z.literal('project'), name: z.string(), created_at: instant })
  .meta({ id: 'Project' })

const projectList = listOf(projectSchema).meta({ id: 'ProjectList' })

const projectDeleted = z
  .object({ id: z.string(), object: z.literal('project'), deleted: z.literal(true) })
  .meta({ id: 'ProjectDeleted' })

const nameBody = z.object({
  name: z.string().trim().max(bounds.title.max, atMost(bounds.title)).min(1),
})

const createDocs: RouteDocs = {
  summary: 'Create a project',
  example: { name: 'Study notes' },
  description: 'For owner-wide keys only: a key that is bound to a project gets `missing_scope`.',
  tag: 'Projects',
  response: projectSchema,
}
const listDocs: RouteDocs = {
  summary: 'List the projects that the key reaches',
  tag: 'Projects',
  response: projectList,
}
const itemDocs: RouteDocs = { summary: 'Get a project', tag: 'Projects', response: projectSchema }
const renameDocs: RouteDocs = {
  summary: 'Rename a project',
  example: { name: 'Study notes' },
  description: 'For owner-wide keys only: a key that is bound to a project gets `missing_scope`.',
  tag: 'Projects',
  response: projectSchema,
}
const deleteDocs: RouteDocs = {
  summary: 'Delete a project with its sessions, runs and files',
  description:
    'Refused while a run in it is unfinished. It revokes the keys that are bound to the project. For owner-wide keys only: a key that is bound to a project gets `missing_scope`.',
  tag: 'Projects',
  response: projectDeleted,
  errors: ['project_busy'],
}

/** `/v1/projects` and `/v1/projects/{id}` */
export function projectRoutes(app: FastifyInstance, services: Services): void {
  collectionRoutes(app, services)
  itemRoutes(app, services)
}

function collectionRoutes(root: FastifyInstance, services: Services): void {
  const app = root.withTypeProvider<ZodTypes>()

  app.post(
    '/projects',
    {
      config: { scope: 'projects:write', docs: createDocs },
      schema: { body: nameBody },
    },
    async (request) => {
      const principal = principalOf(request)
      const { name } = request.body
      return projectBody(
        await withTx(services.database, principal, (tx) => createProject(tx, principal, name)),
      )
    },
  )

  app.get(
    '/projects',
    { config: { scope: 'projects:read', docs: listDocs }, schema: { querystring: pageQuery } },
    async (request): Promise<BodyOf<typeof projectList>> => {
      const principal = principalOf(request)
      const { items, hasMore } = await withTx(services.database, principal, (tx) =>
        listProjects(tx, principal, request.query),
      )
      return listBody(items.map(projectBody), hasMore)
    },
  )
}

function itemRoutes(root: FastifyInstance, { database }: Services): void {
  const app = root.withTypeProvider<ZodTypes>()
  const written = { scope: 'projects:write' as const, resource: namedProject }

  app.get(
    '/projects/:id',
    { config: { scope: 'projects:read', resource: namedProject, docs: itemDocs } },
    async (request) => projectBody(resourceOf<Project>(request)),
  )

  app.patch(
    '/projects/:id',
    { config: { ...written, docs: renameDocs }, schema: { body: nameBody } },
    async (request) => {
      const principal = principalOf(request)
      const { id } = resourceOf<Project>(request)
      const { name } = request.body
      return projectBody(await withTx(database, principal, (tx) => renameProject(tx, principal, id, name)))
    },
  )

  app.delete(
    '/projects/:id',
    { config: { ...written, docs: deleteDocs } },
    async (request): Promise<BodyOf<typeof projectDeleted>> => {
      const { id } = resourceOf<Project>(request)
      await deleteProject(database, principalOf(request), id)
      return { id, object: 'project', deleted: true }
    },
  )
}

function projectBody(project: Project): BodyOf<typeof projectSchema> {
  return {
    id: project.id,
    object: 'project',
    name: project.name,
    created_at: unixSeconds(project.createdAt),
  }
}
