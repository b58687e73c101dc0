import { newestState } from '../../billing/checks/examine.ts'
import type { Config } from '../../config.ts'
import type { Installation } from '../../installation.ts'
import { openCatalogue } from '../../models/model-catalogue.ts'
import { askServers } from '../../models/reachability.ts'
import { databaseHealth, libraryHealth, queueHealth } from '../../operations/health.ts'
import { diskSpace, livingReplicas, serviceFigures } from '../../operations/service-figures.ts'
import { readIndexWatermark } from '../../sources/index/index-watermark.ts'
import { librarySize } from '../../sources/library/catalogue.ts'

/** What `adviceFor` judges. */
export type Status = Awaited<ReturnType<typeof readStatus>>

/** Reads the state from the database, and asks the servers of the models. */
export async function readStatus({ database, library, embedded }: Installation, config: Config) {
  const { system } = database
  const separate = await libraryHealth(library)
  return {
    database: await databaseHealth(system),
    figures: await serviceFigures(system),
    check: await newestState(database),
    replicas: await livingReplicas(system),
    queue: await queueHealth(system),
    models: await askedModels(config),
    library: {
      /** Undefined: it is in the main database. */
      separate,
      /** Undefined while its database cannot be used. */
      size:
        separate?.state === 'unavailable' || separate?.state === 'behind'
          ? undefined
          : { ...(await librarySize(library.system)), waitingTexts: await waitingTexts(library) },
      /** Name of the embedding model. Undefined: words only. */
      semantic: config.embeddings?.model,
    },
    mail: config.mail !== undefined,
    metrics: config.metricsToken !== undefined,
    /** Undefined: the database is not the embedded one. */
    disk: embedded && (await diskSpace(config.dataDir)),
  }
}

async function waitingTexts({ system }: Installation['library']): Promise<number> {
  const { nextDoc, indexedTo } = await readIndexWatermark(system)
  return nextDoc - indexedTo
}

async function askedModels({ model }: Config) {
  const catalogue = await openCatalogue(model)
  try {
    const asked = await askServers(catalogue.servers)
    return catalogue.models.map(({ id }) => ({ id, servers: asked.filter((one) => one.model === id) }))
  } finally {
    await catalogue.close()
  }
}

/** Infinite for what never was. */
export const ageSeconds = (at: Date | undefined) =>
  at === undefined ? Number.POSITIVE_INFINITY : (Date.now() - at.getTime()) / 1_000
