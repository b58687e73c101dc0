import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { withTx } from '../db/client.ts'
import { principalOf, resourceOf } from '../http/auth.ts'
import { atMost, bounds } from '../http/bounds.ts'
import type { ResourceLookup } from '../http/fastify.ts'
import { listBody, pageOfQuery, pageQuery, unixSeconds } from '../http/lists.ts'
import { type BodyOf, instant, listOf, type RouteDocs } from '../http/openapi-docs.ts'
import type { ZodTypes } from '../http/zod.ts'
import { createProject, findProject, listProjects, type Project } from '../turns/projects.ts'
import type { Services } from './services.ts'

const namedProject: ResourceLookup = (tx, principal, params) => findProject(tx, principal, params['id'] ?? '')

const projectSchema = z
  .object({ id: z.string(), object: z.literal('project'), name: z.string(), created_at: instant })
  .meta({ id: 'Project' })

const projectList = listOf(projectSchema).meta({ id: 'ProjectList' })

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

/** `POST /v1/projects`, `GET /v1/projects`, `GET /v1/projects/{id}` */
export function projectRoutes(root: FastifyInstance, services: Services): void {
  const app = root.withTypeProvider<ZodTypes>()

  app.post(
    '/projects',
    {
      config: { scope: 'projects:write', docs: createDocs },
      schema: {
        body: z.object({ name: z.string().trim().max(bounds.title.most, atMost(bounds.title)).min(1) }),
      },
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
      const page = pageOfQuery(request.query)
      const { items, hasMore } = await withTx(services.database, principal, (tx) =>
        listProjects(tx, principal, page),
      )
      return listBody(items.map(projectBody), hasMore)
    },
  )

  app.get(
    '/projects/:id',
    { config: { scope: 'projects:read', resource: namedProject, docs: itemDocs } },
    async (request) => projectBody(resourceOf<Project>(request)),
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
