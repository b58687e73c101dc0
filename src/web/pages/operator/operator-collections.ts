import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type AuditAction, recordAction } from '../../../accounts/audit.ts'
import { withTx } from '../../../db/client.ts'
import { ServiceError } from '../../../errors.ts'
import type { Collection } from '../../../sources/collections/collection.ts'
import { findCollection } from '../../../sources/collections/collections.ts'
import { openExport, placeName, reachExport } from '../../../sources/collections/export-place.ts'
import { planCollection } from '../../../sources/collections/plan.ts'
import { surveyPlan } from '../../../sources/collections/survey.ts'
import type { ExportSource } from '../../../sources/importers/sefaria/export-source.ts'
import { restrictedLicenses } from '../../../sources/library/licenses.ts'
import { type CollectionState, collectionStates } from '../../../sources/library-jobs/collection-states.ts'
import { cancelJob, queueJob } from '../../../sources/library-jobs/jobs.ts'
import { manyTexts, readFields } from '../../components/forms.ts'
import { sendPage, sendPart } from '../../components/page.ts'
import { operatorsOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { collectionPage, collectionSection, type Offer } from './collections-view.ts'

const startForm = z.object({ allow: manyTexts })

/** A page waits at most this long for the beginnings of the files. */
const surveyMs = 8_000
/** The list of the public export has 20 MB and changes every month. */
const keptMs = 10 * 60_000

/** `/operator/library/collections`: adding collections to the library, with live progress. */
export function operatorCollectionPages(app: FastifyInstance, services: WebServices): void {
  const { database, library, settings } = services
  const place = settings.libraryExport
  let kept: { readonly source: ExportSource; readonly at: number } | undefined

  async function offerOf(collection: Collection): Promise<Offer> {
    try {
      if (!kept || performance.now() - kept.at > keptMs) {
        await reachExport(place)
        kept = { source: await openExport(place), at: performance.now() }
      }
      const plan = planCollection(collection, kept.source)
      return { plan, survey: await surveyPlan(kept.source, plan, { timeoutMs: surveyMs }) }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return { problem: error.message }
    }
  }

  /** The log is in another database than the jobs. It commits first, so that no job is without its entry. */
  const record = (action: AuditAction, actor: string, details: Readonly<Record<string, string>>) =>
    withTx(database, 'system', (tx) => recordAction(tx, { actor, action, accountId: actor, details }))

  /** The part of the library page that its script repeats while an import runs. */
  app.get('/operator/library/collections', operatorsOnly, async (request, reply) => {
    // A browser that opens the address accepts more types than the script.
    if (request.headers.accept !== 'text/html') return reply.redirect('/operator/library#collections', 303)
    return sendPart(reply, collectionSection(textsOf(request), await collectionStates(library.system)))
  })

  app.get('/operator/library/collections/:name', operatorsOnly, async (request, reply) => {
    const state = await stateOf(services, request)
    const offer = await offerOf(state.collection)
    return sendPage(reply, collectionPage(textsOf(request), { state, offer, place: placeName(place) }))
  })

  app.post('/operator/library/collections/:name/start', operatorsOnly, async (request, reply) => {
    const { collection } = await stateOf(services, request)
    const { allow } = readFields(startForm, request.body)
    const allowLicenses = restrictedLicenses.filter((kind) => allow.includes(kind))
    const requestedBy = visitorOf(request).person.id
    await withTx(library, 'system', async (tx) => {
      await queueJob(tx, { collection: collection.name, allowLicenses, requestedBy })
      await record('library.import_started', requestedBy, {
        collection: collection.name,
        licences_allowed: allowLicenses.join(' ') || 'none',
      })
    })
    return reply.redirect('/operator/library#collections', 303)
  })

  app.post('/operator/library/collections/:name/cancel', operatorsOnly, async (request, reply) => {
    const { collection } = await stateOf(services, request)
    const actor = visitorOf(request).person.id
    await withTx(library, 'system', async (tx) => {
      if (await cancelJob(tx, collection.name))
        await record('library.import_cancelled', actor, { collection: collection.name })
    })
    return reply.redirect('/operator/library#collections', 303)
  })
}

/** @throws ServiceError `not_found` when the path names no collection. */
async function stateOf({ library }: WebServices, { params }: FastifyRequest): Promise<CollectionState> {
  const collection = findCollection((params as { readonly name: string }).name)
  const states = await collectionStates(library.system)
  const state = states.find((found) => found.collection === collection)
  if (!state) throw new ServiceError('not_found', `There is no collection "${collection.name}".`)
  return state
}
