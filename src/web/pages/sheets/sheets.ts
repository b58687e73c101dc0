import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { createSheet, deleteSheet, listSheets } from '../../../sheets/store.ts'
import { doneMessage, readFields, sendFormAgain } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { namedId } from '../../components/pager.ts'
import { accountsOnly, membersOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { addPages } from './add.ts'
import { editorPages } from './editor.ts'
import { sheetsPage } from './list-view.ts'
import { previewPages } from './preview.ts'

const titleForm = z.object({ title: z.string().max(10_000) })

/** `/sheets`: source sheets of an account, and the public pages of those that it shares. */
export function sheetPages(app: FastifyInstance, services: WebServices): void {
  const { database } = services

  app.get('/sheets', accountsOnly, async (request, reply) => {
    const done = doneMessage(request, { deleted: textsOf(request).sheets.done.deleted })
    return sendPage(reply, sheetsPage(textsOf(request), await sheetsOf(request), { title: '', done }))
  })

  app.post('/sheets', membersOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const { title } = readFields(titleForm, request.body)
    try {
      const { id } = await withTx(database, principal, (tx) => createSheet(tx, principal, title))
      return reply.redirect(`/sheets/${id}?done=created`, 303)
    } catch (error) {
      return sendFormAgain(reply, error, async (problem) =>
        sheetsPage(textsOf(request), await sheetsOf(request), { title, problem }),
      )
    }
  })

  app.post('/sheets/:id/delete', membersOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    await withTx(database, principal, (tx) => deleteSheet(tx, principal, namedId(request)))
    return reply.redirect('/sheets?done=deleted', 303)
  })

  addPages(app, services)
  editorPages(app, services)
  previewPages(app, services)

  function sheetsOf(request: FastifyRequest) {
    const { principal } = visitorOf(request)
    return withTx(database, principal, (tx) => listSheets(tx, principal))
  }
}
