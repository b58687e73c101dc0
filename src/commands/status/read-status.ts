import { type CheckState, newestState } from '../../billing/checks/examine.ts'
import type { Config } from '../../config.ts'
import type { Installation } from '../../installation.ts'
import { openCatalogue } from '../../models/model-catalogue.ts'
import { askServers } from '../../models/reachability.ts'
import {
  type DatabaseHealth,
  databaseHealth,
  type LibraryHealth,
  libraryHealth,
  type QueueHealth,
  queueHealth,
} from '../../operations/health.ts'
import {
  type DiskSpace,
  diskSpace,
  type LivingReplica,
  livingReplicas,
  type ServiceFigures,
  serviceFigures,
} from '../../operations/service-figures.ts'
import { readIndexWatermark } from '../../sources/index/index-watermark.ts'
import { type LibrarySize, librarySize } from '../../sources/library/catalogue.ts'

type AskedServer = Awaited<ReturnType<typeof askServers>>[number]

/** What `adviceFor` judges. */
export type Status = {
  readonly database: DatabaseHealth
  readonly figures: ServiceFigures
  readonly check: CheckState | undefined
  readonly replicas: readonly LivingReplica[]
  readonly queue: QueueHealth
  readonly models: readonly { readonly id: string; readonly servers: readonly AskedServer[] }[]
  readonly library: {
    /** Undefined: it is in the main database. */
    readonly separate: LibraryHealth | undefined
    /** Undefined while its database cannot be used. */
    readonly size: (LibrarySize & { readonly waitingTexts: number }) | undefined
    /** Name of the embedding model. Undefined: words only. */
    readonly semantic: string | undefined
  }
  readonly mail: boolean
  readonly metrics: boolean
  /** Undefined: the database is not the embedded one. */
  readonly disk: DiskSpace | undefined
}

/** Reads the state from the database, and asks the servers of the models. */
export async function readStatus(
  { database, library, embedded }: Installation,
  config: Config,
): Promise<Status> {
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
      separate,
      size:
        separate?.state === 'unavailable' || separate?.state === 'behind'
          ? undefined
          : { ...(await librarySize(library.system)), waitingTexts: await waitingTexts(library) },
      semantic: config.embeddings?.model,
    },
    mail: config.mail !== undefined,
    metrics: config.metricsToken !== undefined,
    disk: embedded && (await diskSpace(config.dataDir)),
  }
}

async function waitingTexts({ system }: Installation['library']): Promise<number> {
  const { nextDoc, indexedTo } = await readIndexWatermark(system)
  return nextDoc - indexedTo
}

async function askedModels({ model }: Config): Promise<Status['models']> {
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
