import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Executor, withTx } from '../../../db/client.ts'
import { ServiceError } from '../../../errors.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { createSearchLimit } from '../../../http/limits/work-limits.ts'
import { readPassageEntry } from '../../../sheets/content.ts'
import { newPassage, type PassageEntry, sheetLimits, withEntry, within } from '../../../sheets/entries.ts'
import { changeSheet, createSheet, listSheets, type StoredSheet } from '../../../sheets/store.ts'
import { problemOf, readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { membersOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import { refNames } from '../ref-names.ts'
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

  app.get('/sheets/add', membersOnly, async (request, reply) => {
    const { ref, he, en } = readFields(addQuery, request.query)
    return sendForm(request, reply, { ref, he, en, sheet: '', title: '' })
  })

  app.post('/sheets/add', membersOnly, async (request, reply) => {
    const { principal } = visitorOf(request)
    const form = readFields(addFields, request.body)
    try {
      const entry = await passageOf(form, request, reply)
      const title = await titleOf(services, request, form, entry.ref)
      const sheet = await withTx(database, principal, (tx) =>
        addEntry(tx, principal, { ...form, title }, entry),
      )
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
    form: Omit<AddForm, 'sheets' | 'name'>,
    status = 200,
  ): Promise<FastifyReply> {
    const { principal } = visitorOf(request)
    const sheets = await withTx(database, principal, (tx) => listSheets(tx, principal))
    const t = textsOf(request)
    const names = await refNames(t, library.system, [form.ref])
    return sendPage(reply, addPage(t, { ...form, name: names(form.ref), sheets }), status)
  }
}

/** Adds a passage to the sheet that the form names, or to a new one. */
function addEntry(
  tx: Executor,
  owner: Parameters<typeof changeSheet>[1],
  { sheet, title }: Pick<AddFields, 'sheet' | 'title'>,
  entry: PassageEntry,
): Promise<StoredSheet> {
  if (sheet === 'new') return createSheet(tx, owner, title, [entry])
  return changeSheet(tx, owner, sheet, ({ entries }) => ({ entries: withEntry(entries, entry) }))
}

/** The title of a new sheet; without one in the form, after its passage. */
async function titleOf(
  { library }: WebServices,
  request: FastifyRequest,
  { title }: AddFields,
  ref: string,
): Promise<string> {
  if (title.trim() !== '') return title
  const t = textsOf(request)
  return t.sheets.untitled((await refNames(t, library.system, [ref]))(ref))
}
