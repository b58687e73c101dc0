import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { ServiceError } from '../../../errors.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { createSearchLimit } from '../../../http/limits/work-limits.ts'
import { readPassageEntry } from '../../../sheets/content.ts'
import { newPassage, type PassageEntry, sheetLimits, withEntry, within } from '../../../sheets/entries.ts'
import { changeSheet, createSheet, listSheets } from '../../../sheets/store.ts'
import { problemOf, readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { accountsOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { type AddForm, addPage } from './add-view.ts'
import { inWords, RefusedPassage } from './refused-passage.ts'
import { isScript } from './sheet-form.ts'

const passageFields = { ref: z.string().default(''), he: z.string().default(''), en: z.string().default('') }
const addQuery = z.object(passageFields)
const addFields = z.object({
  ...passageFields,
  sheet: z.string().max(100).default('new'),
  title: z.string().default(''),
})
type AddFields = z.output<typeof addFields>

/** `/sheets/add`: puts a passage into a sheet that its reader chooses, or into a new one; see `add-link`. */
export function addPages(app: FastifyInstance, services: WebServices): void {
  const { database, library } = services
  const reads = createSearchLimit()

  app.get('/sheets/add', accountsOnly, async (request, reply) => {
    const { ref, he, en } = readFields(addQuery, request.query)
    return sendForm(request, reply, { ref, he, en, sheet: '', title: '' })
  })

  app.post('/sheets/add', accountsOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const form = readFields(addFields, request.body)
    try {
      const entry = await passageOf(form, request, reply)
      const sheet = await withTx(database, principal, (tx) => {
        if (form.sheet === 'new') {
          const title = form.title.trim() === '' ? textsOf(request).sheets.untitled(entry.ref) : form.title
          return createSheet(tx, principal, title, [entry])
        }
        return changeSheet(tx, principal, form.sheet, ({ entries }) => ({
          entries: withEntry(entries, entry),
        }))
      })
      const href = `/sheets/${sheet.id}#entry-${entry.id}`
      if (isScript(request)) return reply.send({ sheet: sheet.id, title: sheet.title, href })
      return reply.redirect(`/sheets/${sheet.id}?done=added#entry-${entry.id}`, 303)
    } catch (error) {
      const { message, status } = problemOf(request, error)
      if (isScript(request)) {
        const field = error instanceof ServiceError ? error.param : null
        return reply.status(status).send({ message: inWords(request, error) ?? message, field })
      }
      if (status === 404) throw error
      return sendForm(request, reply, { ...form, problem: message }, status)
    }
  })

  /** The entry with its ref as the library writes it, and only versions that the library has of it. */
  async function passageOf(
    form: AddFields,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<PassageEntry> {
    const ref = within(form.ref, sheetLimits.ref, 'ref', 'The ref')
    if (ref === '')
      throw new ServiceError('invalid_value', 'Enter a ref, such as Tanya 32.', { param: 'ref' })
    const entry = newPassage(ref, { versions: { he: form.he, en: form.en } })
    const signal = disconnectSignal(reply)
    const { accountId } = visitorOf(request).principal
    const read = await reads.run(accountId, signal, () => readPassageEntry(library.system, entry, signal))
    if (read.kind === 'missing') throw new RefusedPassage(read.problem)
    const { offered, source } = read
    const known = (language: 'he' | 'en') =>
      offered[language].includes(entry.versions[language]) ? entry.versions[language] : ''
    return {
      ...entry,
      ref: source.rows.length === 1 ? source.ref : ref,
      versions: { he: known('he'), en: known('en') },
    }
  }

  async function sendForm(
    request: FastifyRequest,
    reply: FastifyReply,
    form: Omit<AddForm, 'sheets'>,
    status = 200,
  ): Promise<FastifyReply> {
    const { principal } = visitorOf(request)
    const sheets = await withTx(database, principal, (tx) => listSheets(tx, principal))
    return sendPage(request, reply, addPage(textsOf(request), { ...form, sheets }), status)
  }
}
