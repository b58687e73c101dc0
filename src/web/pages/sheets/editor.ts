import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { withTx } from '../../../db/client.ts'
import { ServiceError } from '../../../errors.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { createSearchLimit } from '../../../http/limits/work-limits.ts'
import { originOf } from '../../../http/origin.ts'
import { readEntries, readPassageEntry } from '../../../sheets/content.ts'
import { newPassage, type SheetEntry, sheetLimits, within } from '../../../sheets/entries.ts'
import { linkOfSheet, shareSheet, unshareSheet } from '../../../sheets/public-link.ts'
import { changeSheet, findSheet, type StoredSheet } from '../../../sheets/store.ts'
import { doneMessage, problemOf, readFields } from '../../components/forms.ts'
import type { Html } from '../../components/html.ts'
import { sendPage } from '../../components/page.ts'
import { namedId } from '../../components/pager.ts'
import { accountsOnly, membersOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import { refNames } from '../ref-names.ts'
import type { WebServices } from '../services.ts'
import { type Editor, editorPage } from './editor-view.ts'
import { inWords, RefusedPassage, refusalOf } from './refused-passage.ts'
import { asWritten, changed, isScript, type SheetForm, sheetForm, targetOf } from './sheet-form.ts'

/** `/sheets/{id}`: the editor. A change is one form with the whole sheet; scripts get `{saved, entries}` as JSON. */
export function editorPages(app: FastifyInstance, services: WebServices): void {
  const { database, library } = services
  const reads = createSearchLimit()

  app.get('/sheets/:id', accountsOnly, async (request, reply) => {
    const sheet = await sheetOf(services, request)
    return sendEditor(request, reply, sheet, { done: doneMessage(request, textsOf(request).sheets.done) })
  })

  app.post('/sheets/:id', membersOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const id = namedId(request)
    // Looked up first: the form of a sheet that is not there is not judged.
    await sheetOf(services, request)
    const form = readFields(sheetForm, request.body)
    try {
      const added = await passageOf(services, form, reply)
      const sheet = await withTx(database, principal, (tx) =>
        changeSheet(tx, principal, id, (stored) => changed(stored, form, added)),
      )
      if (isScript(request))
        return reply.send({ saved: true, entries: sheet.entries.map((entry) => entry.id) })
      return reply.redirect(`/sheets/${id}${targetOf(form, sheet, added)}`, 303)
    } catch (error) {
      return refuse(request, reply, error, form)
    }
  })

  linkActions(app, services)

  async function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown, form: SheetForm) {
    const { message, status } = problemOf(request, error)
    if (isScript(request)) {
      const field = error instanceof ServiceError ? error.param : null
      return reply.status(status).send({ saved: false, message: inWords(request, error) ?? message, field })
    }
    const shown = error instanceof RefusedPassage ? await refusal(services, request, error) : message
    return sendEditor(
      request,
      reply,
      asWritten(await sheetOf(services, request), form),
      { problem: { message: shown, ref: form.ref } },
      status,
    )
  }

  async function sendEditor(
    request: FastifyRequest,
    reply: FastifyReply,
    sheet: StoredSheet,
    messages: Pick<Editor, 'done' | 'problem'>,
    status = 200,
  ): Promise<FastifyReply> {
    const signal = disconnectSignal(reply)
    const { accountId } = visitorOf(request).principal
    const entries = await reads.run(accountId, signal, () =>
      readEntries(library.system, sheet.entries, signal),
    )
    const link = linkOfSheet(services.peppers, sheet)
    const publicLink = link && {
      url: link.token && `${originOf(services, request)}/sheets/shared/${link.token}`,
    }
    return sendPage(reply, editorPage(textsOf(request), { sheet, entries, publicLink, ...messages }), status)
  }
}

async function refusal(
  { library }: WebServices,
  request: FastifyRequest,
  { problem }: RefusedPassage,
): Promise<Html> {
  const t = textsOf(request)
  return refusalOf(t, problem, await refNames(t, library.system, problem.nearest ?? []))
}

/** @throws ServiceError `not_found`. */
function sheetOf({ database }: WebServices, request: FastifyRequest): Promise<StoredSheet> {
  const { principal } = visitorOf(request)
  return withTx(database, principal, (tx) => findSheet(tx, principal, namedId(request)))
}

/** The passage that the form adds, after a look into the library; undefined if it adds none. */
async function passageOf(
  { library }: WebServices,
  { action, ref }: SheetForm,
  reply: FastifyReply,
): Promise<SheetEntry | undefined> {
  const wanted = within(ref, sheetLimits.ref, 'ref', 'The ref')
  if (action !== 'add' && (action !== 'save' || wanted === '')) return undefined
  if (wanted === '')
    throw new ServiceError('invalid_value', 'Enter a ref, such as Tanya 32.', { param: 'ref' })
  const entry = newPassage(wanted)
  const read = await readPassageEntry(library.system, entry, disconnectSignal(reply))
  if (read.kind === 'missing') throw new RefusedPassage(read.problem)
  return read.source.rows.length === 1 ? { ...entry, ref: read.source.ref } : entry
}

/** Creates and revokes the public link. */
function linkActions(app: FastifyInstance, { database, peppers }: WebServices): void {
  app.post('/sheets/:id/share', membersOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const id = namedId(request)
    await withTx(database, principal, (tx) => shareSheet(tx, peppers, principal, id))
    return reply.redirect(`/sheets/${id}?done=shared#link`, 303)
  })

  app.post('/sheets/:id/unshare', membersOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const id = namedId(request)
    await withTx(database, principal, (tx) => unshareSheet(tx, principal, id))
    return reply.redirect(`/sheets/${id}?done=revoked#link`, 303)
  })
}
