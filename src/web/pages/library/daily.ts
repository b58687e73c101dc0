import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { ServiceError } from '../../../errors.ts'
import { dayOf, portionOf } from '../../../reader-marks/daily-portion.ts'
import { listMarks, startDaily, stopDaily } from '../../../reader-marks/marks.ts'
import { findWork, type Part, tableOfContents } from '../../../sources/library/catalogue.ts'
import { readFields, sendFormAgain } from '../../components/forms.ts'
import type { Names } from '../../components/names.ts'
import { sendPage } from '../../components/page.ts'
import { openToAll, ownPerson } from '../../components/route-guards.ts'
import { textsOf, zoneOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { type DailyReading, dailyPage } from './daily-view.ts'

const dailyQuery = z.object({ work: z.string().max(300).optional(), from: z.string().max(10).optional() })
const dailyForm = z.object({ work: z.string().max(300), action: z.enum(['start', 'stop']).default('start') })

/** `/library/daily`: one portion a day of works that somebody has chosen. */
export function dailyPages(app: FastifyInstance, { database, library }: WebServices): void {
  const executor = library.system

  app.get('/library/daily', openToAll, async (request, reply) => {
    const { work, from } = readFields(dailyQuery, request.query)
    const today = dayOf(new Date(), zoneOf(request))
    const own = await startedBy(request)
    const chosen = work === undefined ? own : [{ title: work, from: from ?? today }]
    const readings = await Promise.all(
      chosen.map(async ({ title, from }) => readingOf(title, from, today, own)),
    )
    const shown = { today, readings, isSignedIn: request.visitor !== null }
    return sendPage(reply, dailyPage(textsOf(request), shown))
  })

  app.post('/library/daily', ownPerson, async (request, reply) => {
    const { personal: principal } = visitorOf(request)
    const { work, action } = readFields(dailyForm, request.body)
    // A work that is no longer in the library can still be stopped.
    if (action === 'start' && !(await findWork(executor, work)))
      throw new ServiceError('not_found', 'The library has no such work.')
    try {
      const change = action === 'start' ? startDaily : stopDaily
      await withTx(database, principal, (tx) => change(tx, principal, work))
      return reply.redirect('/library/daily', 303)
    } catch (error) {
      const shown = { today: dayOf(new Date(), zoneOf(request)), readings: [], isSignedIn: true }
      return sendFormAgain(reply, error, (problem) => dailyPage(textsOf(request), { ...shown, problem }))
    }
  })

  async function startedBy(request: FastifyRequest): Promise<readonly Started[]> {
    const owner = request.visitor?.personal
    if (!owner) return []
    const marks = await withTx(database, owner, (tx) => listMarks(tx, owner, 'daily'))
    return marks.map(({ ref, at }) => ({ title: ref, from: dayOf(at, zoneOf(request)) }))
  }

  async function readingOf(
    title: string,
    from: string,
    today: string,
    own: readonly Started[],
  ): Promise<DailyReading> {
    const isOwn = own.some((one) => one.title === title)
    const work = await findWork(executor, title)
    const portions = work ? portionsOf(await tableOfContents(executor, work.id)) : []
    const portion = portionOf(from, today, portions.length)
    const at = (index: number) => portions[index % portions.length]
    return {
      title,
      heTitle: work?.heTitle ?? '',
      from,
      isOwn,
      portions: portions.length,
      ...(portion && {
        number: portion.index + 1,
        ref: at(portion.index),
        tomorrow: at(portion.index + 1),
      }),
    }
  }
}

type Started = { readonly title: string; readonly from: string }

/** The chapters of a work in reading order; its passages where it has no chapters. */
function portionsOf(parts: readonly Part[]): readonly Names[] {
  return parts.flatMap(({ chapters }) => chapters.map(({ ref, heRef }) => ({ en: ref, he: heRef })))
}
