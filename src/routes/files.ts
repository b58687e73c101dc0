import { z } from 'zod'
import { withTx } from '../db/client.ts'
import { notFound } from '../errors.ts'
import { principalOf, resourceOf } from '../http/auth.ts'
import { bounds } from '../http/limits/bounds.ts'
import { boundedListBody, pageQuery, unixSeconds } from '../http/lists.ts'
import {
  type BodyOf,
  count,
  deletedOf,
  instant,
  type JsonSchema,
  listOf,
  type RouteDocs,
} from '../http/openapi/docs.ts'
import { wholeNumber } from '../http/openapi/whole-number.ts'
import { type Api, idText } from '../http/openapi/zod.ts'
import { sendContent } from '../http/transfers/download.ts'
import { listedPurposes, purposes, receiveFile } from '../http/transfers/upload.ts'
import type { Services } from '../turns/services.ts'
import { findFile, listFiles } from '../turns/sessions/project-files.ts'
import {
  deleteFile,
  type FileVersion,
  findVersion,
  listVersions,
  type StoredFile,
} from '../workspace/files.ts'

const fileSchema = z
  .object({
    id: z.string(),
    object: z.literal('file'),
    bytes: count,
    created_at: instant,
    filename: z.string(),
    purpose: z.string(),
    status: z.literal('processed'),
    project_id: z.string(),
    session_id: z.string().nullable().describe('Of the turn that made it; null for an upload'),
    run_id: z.string().nullable(),
    version: z.int().min(1).describe('Of the content that is shown, the newest'),
    sha256: z.string(),
    content_type: z.string(),
  })
  .meta({ id: 'StoredFile' })

const fileVersion = z
  .object({
    version: z.int().min(1),
    bytes: count,
    created_at: instant,
    run_id: z.string().nullable().describe('Of the turn that wrote it; null for an upload'),
    sha256: z.string(),
    content_type: z.string(),
  })
  .meta({ id: 'FileVersion' })

const fileWithVersions = fileSchema
  .extend({ versions: z.array(fileVersion).describe('Newest first') })
  .meta({ id: 'FileWithVersions' })

const fileList = listOf(fileSchema).meta({ id: 'StoredFileList' })

const fileDeleted = deletedOf('file').meta({ id: 'FileDeleted' })

/** Bytes, as OpenAPI 3.1 describes them. */
const bytes: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' }

const uploadForm = {
  type: 'multipart/form-data',
  schema: {
    type: 'object',
    properties: {
      file: { ...bytes, description: 'One part with a file name' },
      purpose: { type: 'string', enum: purposes, default: 'user_data' },
      project_id: {
        type: 'string',
        maxLength: bounds.partField.max,
        description: 'The key’s own project unless named',
      },
    },
    required: ['file'],
  },
} as const

const download = { type: '*/*', schema: bytes } as const

const filterText = idText.optional()

const contentQuery = z.object({
  version: wholeNumber(1, 2_147_483_647).optional().describe('Default: the newest'),
})

/** Maximum number of versions that a record lists. Older ones can still be downloaded by their number. */
const maxVersions = 1_000

const docs = {
  upload: {
    summary: 'Upload a file',
    description:
      'Its parts may come in any order. The plan bounds the size of a file and of all files together; uploads under way count. 16 may be under way at once.',
    tag: 'Files',
    body: uploadForm,
    response: fileSchema,
    errors: ['not_found', 'file_too_large', 'file_store_unavailable'],
  },
  list: { summary: 'List files', tag: 'Files', response: fileList, errors: ['not_found'] },
  get: { summary: 'Get a file’s record and its versions', tag: 'Files', response: fileWithVersions },
  content: {
    summary: 'Download a file',
    description:
      'The bytes under the file’s own content type (scripts and styles: `application/octet-stream`), always as an attachment: the newest version, or the one that `version` names.',
    tag: 'Files',
    content: [download],
    requestHeaders: {
      'if-none-match': 'An `etag` of an earlier reply: 304 without a body if the content is still the same.',
      'if-range': 'An `etag`: `range` counts only if the content is still the same.',
      range: 'One range of bytes, such as `bytes=0-99`, `bytes=100-` or `bytes=-100`.',
    },
    replyHeaders: {
      'accept-ranges': 'Always `bytes`.',
      'content-disposition': '`attachment` with the file’s name.',
      'content-length': 'Bytes of the reply.',
      'content-security-policy': 'Always `sandbox`.',
      etag: 'The SHA-256 of the content, in quotation marks.',
      'x-content-type-options': 'Always `nosniff`.',
    },
    otherReplies: {
      206: { description: 'The part that `range` names; `content-range` says which.', content: [download] },
      304: { description: 'The content is the one that `if-none-match` names.' },
    },
    errors: ['range_not_satisfiable', 'file_store_unavailable'],
  },
  delete: { summary: 'Delete a file', tag: 'Files', response: fileDeleted, errors: ['account_held'] },
} satisfies Record<string, RouteDocs>

/** The routes of OpenAI's files API, for the project of the key. */
export function fileRoutes(app: Api, services: Services): void {
  const { database } = services

  app.post('/files', { config: { scope: 'files:write', docs: docs.upload } }, async (request) =>
    fileBody(await receiveFile(services, request)),
  )

  app.get(
    '/files',
    {
      config: { scope: 'files:read', docs: docs.list },
      schema: {
        querystring: pageQuery.extend({
          limit: wholeNumber(1, 10_000).default(1_000),
          project_id: filterText,
          session_id: filterText,
          run_id: filterText,
          purpose: z.enum(listedPurposes).optional(),
        }),
      },
    },
    async (request): Promise<BodyOf<typeof fileList>> => {
      const principal = principalOf(request)
      const { project_id: projectId, session_id: sessionId, run_id: runId, purpose } = request.query
      const filter = { projectId, sessionId, runId, purpose }
      const { items, hasMore } = await withTx(database, principal, (tx) =>
        listFiles(tx, principal, request.query, filter),
      )
      return boundedListBody(items.map(fileBody), hasMore)
    },
  )

  app.get(
    '/files/:id',
    { config: { scope: 'files:read', resource: findFile, docs: docs.get } },
    async (request): Promise<BodyOf<typeof fileWithVersions>> => {
      const file = resourceOf<StoredFile>(request)
      const versions = await withTx(database, file, (tx) => listVersions(tx, file.id, maxVersions))
      return { ...fileBody(file), versions: versions.map(versionBody) }
    },
  )

  app.get(
    '/files/:id/content',
    {
      config: { scope: 'files:read', resource: findFile, docs: docs.content },
      schema: { querystring: contentQuery },
    },
    async (request, reply) => {
      const file = resourceOf<StoredFile>(request)
      const version = await withTx(database, file, (tx) => findVersion(tx, file, request.query.version))
      if (!version) throw notFound()
      return sendContent(services, request, reply, file, version)
    },
  )

  app.delete(
    '/files/:id',
    { config: { scope: 'files:write', resource: findFile, docs: docs.delete } },
    async (request): Promise<BodyOf<typeof fileDeleted>> => {
      const file = resourceOf<StoredFile>(request)
      await withTx(database, file, (tx) => deleteFile(tx, file.id))
      return { id: file.id, object: 'file', deleted: true }
    },
  )
}

function fileBody(file: StoredFile): BodyOf<typeof fileSchema> {
  return {
    id: file.id,
    object: 'file',
    bytes: file.bytes,
    created_at: unixSeconds(file.createdAt),
    filename: file.name,
    purpose: file.purpose,
    status: 'processed',
    project_id: file.projectId,
    session_id: file.sessionId,
    run_id: file.runId,
    version: file.version,
    sha256: file.sha256,
    content_type: file.contentType,
  }
}

function versionBody(version: FileVersion): BodyOf<typeof fileWithVersions>['versions'][number] {
  return {
    version: version.version,
    bytes: version.bytes,
    created_at: unixSeconds(version.createdAt),
    run_id: version.runId,
    sha256: version.sha256,
    content_type: version.contentType,
  }
}
