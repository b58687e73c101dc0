import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../../db/client.ts'
import { clientAddress } from '../../../../http/connection/client-address.ts'
import { disconnectSignal } from '../../../../http/connection/disconnect.ts'
import { createSearchLimit } from '../../../../http/limits/work-limits.ts'
import { marksAt, type OwnMarks, recordReading } from '../../../../reader-marks/marks.ts'
import { hebrewTitles } from '../../../../sources/library/catalogue.ts'
import { countLinks, findParallels } from '../../../../sources/library/links.ts'
import { type ReadingPage, readPage } from '../../../../sources/library/reading-page.ts'
import { readFields } from '../../../components/forms.ts'
import { sendPage } from '../../../components/page.ts'
import { openToAll } from '../../../components/route-guards.ts'
import { textsOf } from '../../../visitors/preferences.ts'
import { refNames } from '../../ref-names.ts'
import type { WebServices } from '../../services.ts'
import { passagePages } from './passage.ts'
import { pageRef } from './reader-bar.ts'
import { readerPage, unknownRefPage } from './reader-view.ts'
import { changeSettings, pathBack, readSettings, settingsForm } from './reading-settings.ts'

const version = z.string().max(600).optional()
const readQuery = z.object({
  quote: z.string().trim().max(2_000).optional(),
  hebrew: version,
  translation: version,
})

/** Empty fields of a form count as absent. */
const withoutEmpty = (source: unknown) =>
  Object.fromEntries(Object.entries(source ?? {}).filter(([, value]) => value !== ''))

/** `/library/read/{ref}` and what belongs to it. */
export function readerPages(app: FastifyInstance, services: WebServices): void {
  const { database, library } = services
  const reads = createSearchLimit()
  const executor = library.system

  app.get<{ Params: { ref: string } }>('/library/read/:ref', openToAll, async (request, reply) => {
    const { ref } = request.params
    const query = readFields(readQuery, withoutEmpty(request.query))
    const signal = disconnectSignal(reply)
    const page = await reads.run(clientAddress(request), signal, () =>
      readPage(executor, ref.slice(0, 600), signal),
    )
    const t = textsOf(request)
    if ('nearest' in page) {
      const { nearest } = page
      const names = await refNames(t, executor, nearest)
      return sendPage(reply, unknownRefPage(t, { ref, nearest, names }), 404)
    }
    const refs = [...new Set(page.passages.map((passage) => passage.ref))]
    const parallels = refs.includes(page.section) ? [] : await findParallels(executor, [page.section])
    const [titles, names, links, marks] = await Promise.all([
      hebrewTitles(executor, t.language === 'he' ? [page.work] : []),
      refNames(t, executor, [page.section, page.previous, page.next, ...parallels.map((one) => one.ref)]),
      countLinks(executor, refs),
      marksOf(request, page, refs),
    ])
    const settings = readSettings(request)
    const heTitle = titles.get(page.work) ?? ''
    const shown = { page, heTitle, names, parallels, links, marks, query, settings, here: request.url }
    return sendPage(reply, await readerPage(t, shown))
  })

  app.post('/library/settings', openToAll, async (request, reply) => {
    const form = readFields(settingsForm, request.body)
    changeSettings(request, reply, form)
    return reply.redirect(pathBack(form.back), 303)
  })

  passagePages(app, services)

  /** What the account has kept on the page, whose reading is noted; nothing for readers without an account. */
  function marksOf(
    request: FastifyRequest,
    page: ReadingPage,
    refs: readonly string[],
  ): Promise<ReadonlyMap<string, OwnMarks>> {
    const owner = request.visitor?.personal
    if (!owner) return Promise.resolve(new Map())
    return withTx(database, owner, async (tx) => {
      await recordReading(tx, owner, pageRef(page))
      return marksAt(tx, owner, refs)
    })
  }
}
