import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { notFound } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { createSearchLimit } from '../../../http/limits/work-limits.ts'
import { type FileReader, type ReadEntry, readEntries } from '../../../sheets/content.ts'
import { findSharedSheet } from '../../../sheets/public-link.ts'
import { findSheet, type StoredSheet } from '../../../sheets/store.ts'
import { sheetFormats } from '../../../workspace/sheets/sheet.ts'
import { languageForReader } from '../../../workspace/sheets/words.ts'
import { readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { namedId } from '../../components/pager.ts'
import { accountsOnly, openToAll } from '../../components/route-guards.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import { refNames } from '../ref-names.ts'
import type { WebServices } from '../services.ts'
import { previewPage, sharedPage } from './preview-view.ts'
import { createSheetFiles } from './sheet-file.ts'

const fileQuery = z.object({ format: z.enum(sheetFormats).default('pdf') })

/** `/sheets/{id}/preview`, `/sheets/{id}/file`, and the public page `/sheets/shared/{token}` with its files. */
export function previewPages(app: FastifyInstance, services: WebServices): void {
  const { database, library } = services
  const reads = createSearchLimit()
  const sendFile = createSheetFiles()

  app.get('/sheets/:id/preview', accountsOnly, async (request, reply) => {
    const sheet = await sheetOf(request)
    const entries = await entriesOf(sheet, visitorOf(request).principal.accountId, disconnectSignal(reply))
    const { nameOf } = await fileReader(textsOf(request), sheet, entries)
    return sendPage(reply, previewPage(textsOf(request), { sheet, entries, nameOf }))
  })

  app.get('/sheets/:id/file', accountsOnly, async (request, reply) => {
    const sheet = await sheetOf(request)
    const { format } = readFields(fileQuery, request.query)
    const signal = disconnectSignal(reply)
    const { accountId } = visitorOf(request).principal
    const entries = await entriesOf(sheet, accountId, signal)
    const reader = await fileReader(textsOf(request), sheet, entries)
    return sendFile(reply, { sheet, entries, format, reader, maker: accountId, signal })
  })

  app.get<{ Params: { token: string } }>('/sheets/shared/:token', openToAll, async (request, reply) => {
    const { token } = request.params
    const sheet = await sharedSheet(reply, token)
    const entries = await entriesOf(sheet, clientAddress(request), disconnectSignal(reply))
    const { nameOf } = await fileReader(textsOf(request), sheet, entries)
    return sendPage(reply, sharedPage(textsOf(request), { sheet, entries, nameOf }, token))
  })

  app.get<{ Params: { token: string } }>('/sheets/shared/:token/file', openToAll, async (request, reply) => {
    const sheet = await sharedSheet(reply, request.params.token)
    const { format } = readFields(fileQuery, request.query)
    const signal = disconnectSignal(reply)
    const entries = await entriesOf(sheet, clientAddress(request), signal)
    const reader = await fileReader(textsOf(request), sheet, entries)
    return sendFile(reply, { sheet, entries, format, reader, maker: undefined, signal })
  })

  /** Who reads the sheet, with the names of the passages that are missing in it. */
  async function fileReader(
    { language }: Texts,
    { title }: StoredSheet,
    entries: readonly ReadEntry[],
  ): Promise<FileReader> {
    const missing = entries.flatMap((entry) => (entry.kind === 'missing' ? [entry.entry.ref] : []))
    const own = { language: languageForReader(title, language) }
    return { language, nameOf: await refNames(own, library.system, missing) }
  }

  async function sharedSheet(reply: FastifyReply, token: string): Promise<StoredSheet> {
    reply.headers({ 'x-robots-tag': 'noindex, nofollow', 'referrer-policy': 'no-referrer' })
    const sheet = await findSharedSheet(database.system, token)
    if (!sheet) throw notFound()
    return sheet
  }

  function sheetOf(request: FastifyRequest): Promise<StoredSheet> {
    const { principal } = visitorOf(request)
    return withTx(database, principal, (tx) => findSheet(tx, principal, namedId(request)))
  }

  /** @param reader whose reads are limited: an account, or an address. */
  function entriesOf(sheet: StoredSheet, reader: string, signal: AbortSignal) {
    return reads.run(reader, signal, () => readEntries(library.system, sheet.entries, signal))
  }
}
