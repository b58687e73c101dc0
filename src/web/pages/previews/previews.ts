import type { FastifyInstance } from 'fastify'
import { notFound } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { createSearchLimit } from '../../../http/limits/work-limits.ts'
import { findWork, listVersions } from '../../../sources/library/catalogue.ts'
import { hebrewRefs } from '../../../sources/library/hebrew-refs.ts'
import { readPassage } from '../../../sources/library/passages.ts'
import { readHref, workHref } from '../../components/library-links.ts'
import { isNavigation, sendPart } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { passagePreview, workPreview } from './preview-view.ts'

/** Longest ref that is looked up, as in the reader. */
const maxRef = 600

/**
 * `/library/preview/{ref}` and `/library/work-preview/{title}`: a passage or a work, as markup for a popover. A browser
 * that opens one gets its page.
 */
export function previewPages(app: FastifyInstance, { library }: WebServices): void {
  const reads = createSearchLimit()

  app.get<{ Params: { ref: string } }>('/library/preview/:ref', openToAll, async (request, reply) => {
    const ref = request.params.ref.slice(0, maxRef)
    if (isNavigation(request)) return reply.redirect(readHref(ref), 303)
    const signal = disconnectSignal(reply)
    const found = await reads.run(clientAddress(request), signal, async () => ({
      ...(await readPassage(library.system, ref, { signal })),
      hebrew: await hebrewRefs(library.system, [ref]),
    }))
    if (!('passages' in found)) throw notFound()
    const [only = '', ...others] = new Set(found.passages.map(({ heRef }) => heRef))
    const he = found.hebrew.get(ref) ?? (others.length > 0 ? '' : only)
    return sendPart(reply, passagePreview(textsOf(request), { en: ref, he }, found.passages))
  })

  app.get<{ Params: { title: string } }>(
    '/library/work-preview/:title',
    openToAll,
    async (request, reply) => {
      const title = request.params.title.slice(0, maxRef)
      if (isNavigation(request)) return reply.redirect(workHref(title), 303)
      const work = await findWork(library.system, title)
      if (!work) throw notFound()
      const versions = await listVersions(library.system, work.id)
      return sendPart(reply, workPreview(textsOf(request), work, versions))
    },
  )
}
