import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../../db/client.ts'
import { notFound } from '../../../../errors.ts'
import { clientAddress } from '../../../../http/connection/client-address.ts'
import { disconnectSignal } from '../../../../http/connection/disconnect.ts'
import { createSearchLimit } from '../../../../http/limits/work-limits.ts'
import {
  clearHistory,
  listMarks,
  marksAt,
  noMarks,
  type OwnMarks,
  saveNote,
  setBookmark,
} from '../../../../reader-marks/marks.ts'
import { hebrewTitles } from '../../../../sources/library/catalogue.ts'
import { linkedPlaces } from '../../../../sources/library/links.ts'
import { passagesAt } from '../../../../sources/library/passages.ts'
import { doneMessage, problemOf, readFields } from '../../../components/forms.ts'
import { passageHref } from '../../../components/library-links.ts'
import { sendPage } from '../../../components/page.ts'
import { openToAll, ownPerson } from '../../../components/route-guards.ts'
import type { Texts } from '../../../texts/catalogue.ts'
import { textsOf } from '../../../visitors/preferences.ts'
import { visitorOf } from '../../../visitors/visitor.ts'
import { refNames } from '../../ref-names.ts'
import type { WebServices } from '../../services.ts'
import { myReadingPage, passagePage } from './passage-view.ts'
import { readSettings } from './reading-settings.ts'

const markForm = z.object({
  ref: z.string().min(1).max(600),
  bookmark: z.enum(['on', 'off']).optional(),
  note: z.string().max(100_000).optional(),
})

/** Links, bookmark and note of one passage, and the page `/library/mine` with all that an account has kept. */
export function passagePages(app: FastifyInstance, { database, library }: WebServices): void {
  const reads = createSearchLimit()

  app.get<{ Params: { ref: string } }>('/library/passage/:ref', openToAll, async (request, reply) =>
    sendPassage(request, reply, request.params.ref.slice(0, 600)),
  )

  app.post('/library/marks', ownPerson, async (request, reply) => {
    const { personal: principal } = visitorOf(request)
    const { ref, bookmark, note } = readFields(markForm, request.body)
    // Marks are kept on passages of the library only.
    if (!(await passagesAt(library.system, [ref])).has(ref)) throw notFound()
    try {
      await withTx(database, principal, async (tx) => {
        if (bookmark !== undefined) await setBookmark(tx, principal, ref, bookmark === 'on')
        if (note !== undefined) await saveNote(tx, principal, ref, note)
      })
      return reply.redirect(passageHref(ref), 303)
    } catch (error) {
      const { message, status } = problemOf(request, error)
      return sendPassage(request, reply, ref, { problem: message, note }, status)
    }
  })

  myReadingPages(app, { database, library })

  async function sendPassage(
    request: FastifyRequest,
    reply: FastifyReply,
    ref: string,
    refused: { readonly problem?: string; readonly note?: string | undefined } = {},
    status = 200,
  ): Promise<FastifyReply> {
    const t = textsOf(request)
    const signal = disconnectSignal(reply)
    const facts = await reads.run(clientAddress(request), signal, () => factsOf(library, t, ref))
    const marks = await marksOn(request, ref)
    const shown = marks && refused.note !== undefined ? { ...marks, note: refused.note } : marks
    const page = passagePage(t, {
      ...facts,
      settings: readSettings(request),
      marks: shown,
      problem: refused.problem,
    })
    return sendPage(reply, page, status)
  }

  function marksOn(request: FastifyRequest, ref: string): Promise<OwnMarks | undefined> {
    const owner = request.visitor?.personal
    if (!owner) return Promise.resolve(undefined)
    return withTx(database, owner, async (tx) => (await marksAt(tx, owner, [ref])).get(ref) ?? noMarks)
  }
}

/** What the library has at a passage. */
async function factsOf({ system }: WebServices['library'], t: Texts, ref: string) {
  const versions = (await passagesAt(system, [ref])).get(ref) ?? []
  const [passage] = versions
  if (!passage) throw notFound()
  const { heRef, work } = passage
  const links = await linkedPlaces(system, ref, t.language)
  const works = t.language === 'he' ? [work, ...links.map((link) => link.work)] : []
  const titles = await hebrewTitles(system, works)
  const refs = links.map((link) => link.ref)
  return { ref, heRef, work, versions, links, titles, names: await refNames(t, system, refs) }
}

/** All that an account has kept of its reading. */
function myReadingPages(
  app: FastifyInstance,
  { database, library }: Pick<WebServices, 'database' | 'library'>,
): void {
  app.get('/library/mine', ownPerson, async (request, reply) => {
    const { personal: principal } = visitorOf(request)
    const kept = await withTx(database, principal, async (tx) => ({
      history: await listMarks(tx, principal, 'history'),
      bookmarks: await listMarks(tx, principal, 'bookmark'),
      notes: await listMarks(tx, principal, 'note'),
    }))
    const t = textsOf(request)
    const refs = Object.values(kept).flatMap((marks) => marks.map(({ ref }) => ref))
    const names = await refNames(t, library.system, refs)
    return sendPage(reply, myReadingPage(t, { ...kept, names, done: doneMessage(request, t.reader.done) }))
  })

  app.post('/library/history/clear', ownPerson, async (request, reply) => {
    const { personal: principal } = visitorOf(request)
    await withTx(database, principal, (tx) => clearHistory(tx, principal))
    return reply.redirect('/library/mine?done=cleared', 303)
  })
}
