import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { withTx } from '../db/client.ts'
import { principalOf, resourceOf } from '../http/auth.ts'
import type { ResourceLookup } from '../http/fastify.ts'
import { listBody, pageOfQuery, pageQuery, unixSeconds } from '../http/lists.ts'
import { idText, type ZodTypes } from '../http/zod.ts'
import { findFile, listFiles } from '../turns/project-files.ts'
import { readStream } from '../workspace/content.ts'
import { deleteFile, newestVersion, type StoredFile } from '../workspace/files.ts'
import type { Services } from './services.ts'
import { receiveFile } from './upload.ts'

const namedFile: ResourceLookup = (tx, principal, params) => findFile(tx, principal, params['id'] ?? '')

const filterText = idText.optional()

/** OpenAI's files, in the project of the key. */
export function fileRoutes(root: FastifyInstance, services: Services): void {
  const app = root.withTypeProvider<ZodTypes>()
  const { database } = services

  app.post('/files', { config: { scope: 'files:write' } }, async (request) =>
    fileBody(await receiveFile(services, request)),
  )

  app.get(
    '/files',
    {
      config: { scope: 'files:read' },
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
    async (request) => {
      const principal = principalOf(request)
      const { project_id: projectId, session_id: sessionId, run_id: runId, purpose } = request.query
      const filter = { projectId, sessionId, runId, purpose }
      const { items, hasMore } = await withTx(database, principal, (tx) =>
        listFiles(tx, principal, pageOfQuery(request.query), filter),
      )
      return listBody(items.map(fileBody), hasMore)
    },
  )

  app.get('/files/:id', { config: { scope: 'files:read', resource: namedFile } }, async (request) =>
    fileBody(resourceOf<StoredFile>(request)),
  )

  app.get(
    '/files/:id/content',
    { config: { scope: 'files:read', resource: namedFile } },
    async (request, reply) => {
      const file = resourceOf<StoredFile>(request)
      const id = await withTx(database, file, (tx) => newestVersion(tx, file))
      downloadHeaders(reply, file)
      return reply.send(
        Readable.from(readStream(database, { id, accountId: file.accountId }), { objectMode: false }),
      )
    },
  )

  app.delete('/files/:id', { config: { scope: 'files:write', resource: namedFile } }, async (request) => {
    const file = resourceOf<StoredFile>(request)
    await withTx(database, file, (tx) => deleteFile(tx, file.id))
    return { id: file.id, object: 'file', deleted: true }
  })
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

function fileBody(file: StoredFile) {
  return {
    id: file.id,
    object: 'file' as const,
    bytes: file.bytes,
    created_at: unixSeconds(file.createdAt),
    filename: file.name,
    purpose: file.purpose,
    status: 'processed' as const,
    project_id: file.projectId,
    session_id: file.sessionId,
    run_id: file.runId,
    sha256: file.sha256,
    content_type: file.contentType,
  }
}
