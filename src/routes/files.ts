import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { withTx } from '../db/client.ts'
import { principalOf, resourceOf } from '../http/auth.ts'
import type { ResourceLookup } from '../http/fastify.ts'
import { listBody, pageOfQuery, pageQuery, unixSeconds } from '../http/lists.ts'
import type { BodyOf, RouteDocs } from '../http/openapi-docs.ts'
import { idText, type ZodTypes } from '../http/zod.ts'
import { findFile, listFiles } from '../turns/project-files.ts'
import { readStream } from '../workspace/content.ts'
import { deleteFile, newestVersion, type StoredFile } from '../workspace/files.ts'
import { download, fileDeleted, fileList, fileSchema, uploadForm } from './file-schema.ts'
import type { Services } from './services.ts'
import { receiveFile } from './upload.ts'

const namedFile: ResourceLookup = (tx, principal, params) => findFile(tx, principal, params['id'] ?? '')

const filterText = idText.optional()

const docs = {
  upload: {
    summary: 'Upload a file',
    description:
      'Its parts may come in any order. The plan bounds the size of a file and of all files together.',
    tag: 'Files',
    body: uploadForm,
    response: fileSchema,
    errors: ['not_found', 'file_too_large'],
  },
  list: { summary: 'List files', tag: 'Files', response: fileList },
  get: { summary: 'Get a file’s record', tag: 'Files', response: fileSchema },
  content: {
    summary: 'Download a file',
    description: 'The bytes under the file’s own content type, always as an attachment.',
    tag: 'Files',
    content: [download],
    replyHeaders: {
      'content-disposition': '`attachment` with the file’s name.',
      'content-length': 'Bytes of the file.',
      'content-security-policy': 'Always `sandbox`.',
      'x-content-type-options': 'Always `nosniff`.',
    },
  },
  delete: { summary: 'Delete a file', tag: 'Files', response: fileDeleted },
} satisfies Record<string, RouteDocs>

/** OpenAI's files, in the project of the key. */
export function fileRoutes(root: FastifyInstance, services: Services): void {
  const app = root.withTypeProvider<ZodTypes>()
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
          limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
          project_id: filterText,
          session_id: filterText,
          run_id: filterText,
          purpose: filterText,
        }),
      },
    },
    async (request): Promise<BodyOf<typeof fileList>> => {
      const principal = principalOf(request)
      const { project_id: projectId, session_id: sessionId, run_id: runId, purpose } = request.query
      const filter = { projectId, sessionId, runId, purpose }
      const { items, hasMore } = await withTx(database, principal, (tx) =>
        listFiles(tx, principal, pageOfQuery(request.query), filter),
      )
      return listBody(items.map(fileBody), hasMore)
    },
  )

  app.get(
    '/files/:id',
    { config: { scope: 'files:read', resource: namedFile, docs: docs.get } },
    async (request) => fileBody(resourceOf<StoredFile>(request)),
  )

  app.get(
    '/files/:id/content',
    { config: { scope: 'files:read', resource: namedFile, docs: docs.content } },
    async (request, reply) => {
      const file = resourceOf<StoredFile>(request)
      const id = await withTx(database, file, (tx) => newestVersion(tx, file))
      downloadHeaders(reply, file)
      return reply.send(
        Readable.from(readStream(database, { id, accountId: file.accountId }), { objectMode: false }),
      )
    },
  )

  app.delete(
    '/files/:id',
    { config: { scope: 'files:write', resource: namedFile, docs: docs.delete } },
    async (request): Promise<BodyOf<typeof fileDeleted>> => {
      const file = resourceOf<StoredFile>(request)
      await withTx(database, file, (tx) => deleteFile(tx, file.id))
      return { id: file.id, object: 'file', deleted: true }
    },
  )
}

/** A download is never rendered: what somebody uploaded must not run in a browser that trusts this host. */
function downloadHeaders(reply: FastifyReply, file: StoredFile): void {
  const ascii = file.name.replaceAll(/[^\u0020-\u007e]|["\\%]/g, '_')
  // RFC 6266 with the extended value of RFC 8187 for names beyond ASCII.
  const extended = encodeURIComponent(file.name).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  )
  reply
    .header('content-type', file.contentType)
    .header('content-length', file.bytes)
    .header('content-disposition', `attachment; filename="${ascii}"; filename*=UTF-8''${extended}`)
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', 'sandbox')
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
    sha256: file.sha256,
    content_type: file.contentType,
  }
}
