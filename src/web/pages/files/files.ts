import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { notFound } from '../../../errors.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { createWorkLimit } from '../../../http/limits/work-limits.ts'
import { sendContent } from '../../../http/transfers/download.ts'
import { findFile } from '../../../turns/sessions/project-files.ts'
import { findProject } from '../../../turns/sessions/projects.ts'
import { cleanFileName } from '../../../workspace/documents/file-names.ts'
import { deleteFile, findVersion, listVersions, type StoredFile } from '../../../workspace/files.ts'
import { fileText } from '../../../workspace/texts.ts'
import { renameThisFile } from '../../../workspace/writing.ts'
import { doneMessage, readFields, sendFormAgain } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { namedId } from '../../components/pager.ts'
import { accountsOnly, membersOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import { refsOf } from '../ask/library-facts.ts'
import type { WebServices } from '../services.ts'
import { charactersShown, type FileShown, filePage, isSafeImage } from './file-views.ts'

const contentQuery = z.object({ version: z.coerce.number().int().min(1).max(2_147_483_647).optional() })
const nameForm = z.object({ name: z.string().max(2_000) })

/** Maximum versions that a page lists; older ones are kept. */
const versionsShown = 50

/** `/files/{id}`: the data and text of a file, its versions, renaming and deletion. */
export function filePages(app: FastifyInstance, services: WebServices): void {
  const { database } = services
  // The text of a document is read when its page is first opened, and all accounts share two readers.
  const documents = createWorkLimit({ what: 'files', maxRunning: 1, maxWaiting: 8, retryAfterSeconds: 5 })

  app.get('/files/:id', accountsOnly, async (request, reply) => {
    const shown = await shownOf(request, reply)
    return sendPage(reply, filePage(textsOf(request), shown, messagesOf(request)))
  })

  app.get('/files/:id/content', accountsOnly, async (request, reply) => {
    const file = await fileOf(request)
    const { version: number } = readFields(contentQuery, request.query)
    const version = await withTx(database, file, (tx) => findVersion(tx, file, number))
    if (!version) throw notFound()
    return sendContent(services, request, reply, file, version)
  })

  app.post('/files/:id/rename', membersOnly, async (request, reply) => {
    const file = await fileOf(request)
    const { name } = readFields(nameForm, request.body)
    try {
      const wanted = cleanFileName(name, 'name')
      await withTx(database, file, (tx) => renameThisFile(tx, file, wanted))
      return reply.redirect(`/files/${file.id}?done=renamed`, 303)
    } catch (error) {
      return sendFormAgain(reply, error, async (problem) =>
        filePage(textsOf(request), await shownOf(request, reply), { problem, name }),
      )
    }
  })

  app.post('/files/:id/delete', membersOnly, async (request, reply) => {
    const file = await fileOf(request)
    await withTx(database, file, (tx) => deleteFile(tx, file.id))
    return reply.redirect(`/projects/${file.projectId}?done=file-deleted#files`, 303)
  })

  function messagesOf(request: FastifyRequest) {
    const { renamed, unread } = textsOf(request).files
    return { done: doneMessage(request, { renamed }), note: doneMessage(request, { unread }) }
  }

  function fileOf(request: FastifyRequest): Promise<StoredFile> {
    const { principal } = visitorOf(request)
    return withTx(database, principal, async (tx) => {
      const file = await findFile(tx, principal, namedId(request))
      if (!file) throw notFound()
      return file
    })
  }

  async function shownOf(request: FastifyRequest, reply: FastifyReply): Promise<FileShown> {
    const file = await fileOf(request)
    const { principal } = visitorOf(request)
    const about = await withTx(database, principal, async (tx) => ({
      project: await findProject(tx, principal, file.projectId),
      versions: await listVersions(tx, file.id, versionsShown),
    }))
    const left = disconnectSignal(reply)
    const read = () => fileText(services, file, left)
    const text = isSafeImage(file) ? undefined : await documents.run(principal.accountId, left, read)
    const refs = text ? await refsOf(services.library, text.text.slice(0, charactersShown)) : []
    return { file, ...about, text, refs }
  }
}
