import { pino } from 'pino'
import { builtInPlans } from '../../../src/accounts/plans.ts'
import type { Database } from '../../../src/db/client.ts'
import { type Catalogue, openCatalogue } from '../../../src/models/model-catalogue.ts'
import type { TurnServices } from '../../../src/turns/drive/run-turn.ts'
import { createSharedAppends } from '../../../src/turns/record/shared-appends.ts'
import { createTurnStore } from '../../../src/turns/record/turn-store.ts'
import type { Signals } from '../../../src/turns/replicas/signals.ts'
import { libraryIn } from '../library-database.ts'

export async function scriptedCatalogue(baseUrl: string): Promise<Catalogue> {
  return openCatalogue({ baseUrl, apiKey: undefined, name: 'scripted', catalogueFile: undefined })
}

/**
 * Services for one attempt at a run without a runner: it renews no lease, claims nothing and receives no
 * signal.
 */
export function turnServices(database: Database, catalogue: Catalogue): TurnServices {
  const signals: Signals = {
    listening: () => true,
    send: () => undefined,
    subscribe: () => () => undefined,
    waitForEvents: async () => undefined,
    close: async () => undefined,
  }
  const store = createTurnStore(database)
  return {
    database,
    library: libraryIn(database),
    catalogue,
    plans: builtInPlans,
    log: pino({ level: 'silent' }),
    signals,
    store,
    appends: createSharedAppends(store),
  }
}
