import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { notFound, ServiceError } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { createSearchLimit, createWorkLimit } from '../../../http/limits/work-limits.ts'
import { attachmentHeaders } from '../../../http/transfers/download.ts'
import { readEntries, sheetForFiles } from '../../../sheets/content.ts'
import { findSharedSheet } from '../../../sheets/public-link.ts'
import { findSheet, type StoredSheet } from '../../../sheets/store.ts'
import { cleanFileName, contentTypeOf } from '../../../workspace/documents/file-names.ts'
import { RenderingFailed, renderSheet } from '../../../workspace/sheets/render.ts'
import { sheetFormats } from '../../../workspace/sheets/sheet.ts'
import { readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { namedId } from '../../components/pager.ts'
import { accountsOnly, openToAll } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { previewPage, sharedPage } from './preview-view.ts'

const fileQuery = z.object({ format: z.enum(sheetFormats).default('pdf') })

/** `/sheets/{id}/preview`, `/sheets/{id}/file`, and the public page `/sheets/shared/{token}`. */
export function previewPages(app: FastifyInstance, services: WebServices): void {
  const { database, library } = services
  const reads = createSearchLimit()
  // A file uses a processor for seconds.
  const files = createWorkLimit({
    what: 'files of sheets',
    maxRunning: 1,
    maxWaiting: 4,
    retryAfterSeconds: 5,
  })

  app.get('/sheets/:id/preview', accountsOnly, async (request, reply) => {
    const sheet = await sheetOf(request)
    const entries = await entriesOf(sheet, visitorOf(request).principal.accountId, disconnectSignal(reply))
    return sendPage(request, reply, previewPage(textsOf(request), { sheet, entries }))
  })

  app.get('/sheets/:id/file', accountsOnly, async (request, reply) => {
    const sheet = await sheetOf(request)
    const { format } = readFields(fileQuery, request.query)
    const signal = disconnectSignal(reply)
    const { accountId } = visitorOf(request).principal
    const made = sheetForFiles(sheet, await entriesOf(sheet, accountId, signal))
    try {
      const [file] = await files.run(accountId, signal, () => renderSheet(made, [format], signal))
      const name = cleanFileName(`${sheet.title.replace(/[/\\]/g, '-').slice(0, 180)}.${format}`)
      attachmentHeaders(reply, name, contentTypeOf(name))
      return reply.send(file?.content)
    } catch (error) {
      if (!(error instanceof RenderingFailed)) throw error
      throw new ServiceError(
        'overloaded',
        'The file could not be made. Try again, or choose another format.',
        { cause: error },
      )
    }
  })

  app.get<{ Params: { token: string } }>('/sheets/shared/:token', openToAll, async (request, reply) => {
    reply.header('x-robots-tag', 'noindex, nofollow')
    const sheet = await findSharedSheet(database.system, request.params.token)
    if (!sheet) throw notFound()
    const entries = await entriesOf(sheet, clientAddress(request), disconnectSignal(reply))
    return sendPage(request, reply, sharedPage(textsOf(request), { sheet, entries }))
  })

  function sheetOf(request: FastifyRequest): Promise<StoredSheet> {
    const { principal } = visitorOf(request)
    return withTx(database, principal, (tx) => findSheet(tx, principal, namedId(request)))
  }

  /** @param reader whose reads are limited: an account, or an address. */
  function entriesOf(sheet: StoredSheet, reader: string, signal: AbortSignal) {
    return reads.run(reader, signal, () => readEntries(library.system, sheet.entries, signal))
  }
}
