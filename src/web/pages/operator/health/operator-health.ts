import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { examineAll, newestState } from '../../../../billing/checks/examine.ts'
import { lastChecks } from '../../../../models/check/stored-checks.ts'
import {
  databaseHealth,
  failureHealth,
  libraryHealth,
  queueHealth,
  tableSizes,
} from '../../../../operations/health.ts'
import { readIndexWatermark } from '../../../../sources/index/index-watermark.ts'
import { readFields } from '../../../components/forms.ts'
import { sendPage } from '../../../components/page.ts'
import { operatorsOnly } from '../../../components/route-guards.ts'
import { textsOf } from '../../../visitors/preferences.ts'
import type { WebServices } from '../../services.ts'
import { healthPage } from './health-view.ts'

const query = z.object({ check: z.literal('money').optional().catch(undefined) })

/** `/operator/health`: state of the service, and failures of the last day. */
export function operatorHealthPage(app: FastifyInstance, { database, library }: WebServices): void {
  app.get('/operator/health', operatorsOnly, async (request, reply) => {
    const { check } = readFields(query, request.query)
    const { system } = database
    const libraryNow = await libraryHealth(library)
    const isUsable = libraryNow === undefined || /^(ok|read-only)$/.test(libraryNow.state)
    const mark = isUsable ? await readIndexWatermark(library.system) : undefined
    return sendPage(
      reply,
      healthPage(textsOf(request), {
        database: await databaseHealth(system),
        tables: await tableSizes(system),
        queue: await queueHealth(system),
        failures: await failureHealth(system),
        modelChecks: await lastChecks(system),
        library: libraryNow,
        waitingTexts: mark && mark.nextDoc - mark.indexedTo,
        examination: check === 'money' ? await examineAll(database, 30) : undefined,
        lastCheck: await newestState(database),
      }),
    )
  })
}
