import { z } from 'zod'
import { type Executor, withTx } from '../db/client.ts'
import { notFound } from '../errors.ts'
import { principalOf, resourceOf } from '../http/auth.ts'
import { atMost, bounds } from '../http/limits/bounds.ts'
import { listBody, pageQuery, unixSeconds } from '../http/lists.ts'
import { type BodyOf, instant, listOf, type RouteDocs } from '../http/openapi/docs.ts'
import type { Api } from '../http/openapi/zod.ts'
import type { Services } from '../turns/services.ts'
import { deleteProject } from '../turns/sessions/delete-project.ts'
import {
  changeProject,
  createProject,
  currentInstructions,
  findProject,
  listProjects,
  type Project,
  readInstructions,
} from '../turns/sessions/projects.ts'

const projectSchema = z
  .object({
    id: z.string(),
    object: z.literal('project'),
    name: z.string(),
    instructions: z
      .string()
      .nullable()
      .optional()
      .describe('What models are told in its turns; null: nothing. Absent in lists'),
    instructions_hash: z
      .string()
      .nullable()
      .describe('SHA-256 of `instructions`, in hexadecimal. Runs name the instructions that they used by it'),
    created_at: instant,
  })
  .meta({ id: 'Project' })

const versionSchema = z
  .object({
    object: z.literal('project.instructions'),
    hash: z.string(),
    instructions: z.string(),
    created_at: instant,
  })
  .meta({ id: 'ProjectInstructions' })

const projectList = listOf(projectSchema).meta({ id: 'ProjectList' })

const projectDeleted = z
  .object({ id: z.string(), object: z.literal('project'), deleted: z.literal(true) })
  .meta({ id: 'ProjectDeleted' })

const name = z.string().trim().max(bounds.title.max, atMost(bounds.title)).min(1)
const instructions = z
  .string()
  .refine((text) => [...text].length <= bounds.projectInstructions.max, atMost(bounds.projectInstructions))
  .nullable()
  .optional()
  .describe(
    'What models are told in the turns of the project, after the instructions of the host; null or empty: nothing',
  )

const newBody = z.object({ name, instructions })
const changeBody = z
  .object({ name: name.nullish().describe('Null: it stays'), instructions })
  .refine((body) => typeof body.name === 'string' || body.instructions !== undefined, {
    error: 'is required, unless `instructions` are sent',
    path: ['name'],
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
const changeDocs: RouteDocs = {
  summary: 'Rename a project, or change its instructions',
  example: { instructions: 'Explain each Hebrew word.' },
  description:
    'Fields that are absent stay as they are. New instructions apply to turns that start later. For owner-wide keys only: a key that is bound to a project gets `missing_scope`.',
  tag: 'Projects',
  response: projectSchema,
}
const versionDocs: RouteDocs = {
  summary: 'Get a version of the instructions of a project',
  description:
    'A run names the version that it used: `instructions.project`. Versions stay until the project is deleted.',
  tag: 'Projects',
  response: versionSchema,
}
const deleteDocs: RouteDocs = {
  summary: 'Delete a project with its sessions, runs and files',
  description:
    'Refused while a run in it is unfinished. It revokes the keys that are bound to the project. For owner-wide keys only: a key that is bound to a project gets `missing_scope`.',
  tag: 'Projects',
  response: projectDeleted,
  errors: ['project_busy', 'account_held'],
}

/** `/v1/projects` and `/v1/projects/{id}` */
export function projectRoutes(app: Api, services: Services): void {
  collectionRoutes(app, services)
  itemRoutes(app, services)
}

function collectionRoutes(app: Api, services: Services): void {
  app.post(
    '/projects',
    {
      config: { scope: 'projects:write', docs: createDocs },
      schema: { body: newBody },
    },
    async (request) => {
      const principal = principalOf(request)
      const { name, instructions } = request.body
      return withTx(services.database, principal, async (tx) =>
        wholeBody(tx, await createProject(tx, principal, name, instructions)),
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

function itemRoutes(app: Api, { database }: Services): void {
  const written = { scope: 'projects:write' as const, resource: findProject }

  app.get(
    '/projects/:id',
    { config: { scope: 'projects:read', resource: findProject, docs: itemDocs } },
    async (request) =>
      withTx(database, principalOf(request), (tx) => wholeBody(tx, resourceOf<Project>(request))),
  )

  app.get(
    '/projects/:id/instructions/:hash',
    { config: { scope: 'projects:read', resource: findProject, docs: versionDocs } },
    async (request): Promise<BodyOf<typeof versionSchema>> => {
      const { id } = resourceOf<Project>(request)
      const { hash } = request.params as { readonly hash: string }
      const version = await withTx(database, principalOf(request), (tx) => readInstructions(tx, id, hash))
      if (!version) throw notFound('hash')
      return {
        object: 'project.instructions',
        hash: version.hash,
        instructions: version.text,
        created_at: unixSeconds(version.createdAt),
      }
    },
  )

  app.patch(
    '/projects/:id',
    { config: { ...written, docs: changeDocs }, schema: { body: changeBody } },
    async (request) => {
      const principal = principalOf(request)
      const { id } = resourceOf<Project>(request)
      const { name, instructions } = request.body
      return withTx(database, principal, async (tx) =>
        wholeBody(tx, await changeProject(tx, principal, id, { name: name ?? undefined, instructions })),
      )
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

async function wholeBody(tx: Executor, project: Project): Promise<BodyOf<typeof projectSchema>> {
  return { ...projectBody(project), instructions: await currentInstructions(tx, project) }
}

function projectBody(project: Project): BodyOf<typeof projectSchema> {
  return {
    id: project.id,
    object: 'project',
    name: project.name,
    instructions_hash: project.instructionsHash,
    created_at: unixSeconds(project.createdAt),
  }
}
