import type { Peppers } from '../accounts/keys/pepper.ts'
import type { Plans } from '../accounts/plans.ts'
import type { Database } from '../db/client.ts'
import type { LibraryDatabase } from '../db/library/library-database.ts'
import type { Logger } from '../log.ts'
import type { EmbeddingOffer } from '../models/embedding-offer.ts'
import type { Catalogue } from '../models/model-catalogue.ts'
import type { Fallback } from '../sources/fallback/fallback.ts'
import type { SemanticSearch } from '../sources/search/semantic/semantic-search.ts'
import type { Tracer } from '../tracing.ts'
import type { TurnMetrics } from './execution/turn-metrics.ts'
import type { Runner } from './ownership/runner.ts'
import type { Pressure } from './replicas/pressure.ts'
import type { TurnLimits } from './run/turn-limits.ts'

/** What routes and pages need. Nothing is global, so tests can run several services in one process. */
export type Services = {
  readonly database: Database
  /** Holds the library, and no other table that is used. */
  readonly library: LibraryDatabase
  readonly peppers: Peppers
  readonly plans: Plans
  readonly catalogue: Catalogue
  readonly runner: Runner
  /** Undefined: the service turns no texts into vectors for clients. */
  readonly embeddings?: EmbeddingOffer | undefined
  /** Undefined: the library has keyword search only. */
  readonly semantic?: SemanticSearch | undefined
  /** Undefined: texts that the library does not have are not fetched. */
  readonly fallback?: Fallback | undefined
  readonly limits: TurnLimits
  /** Undefined: no metrics, no traces, and no refusal of turns under pressure. */
  readonly metrics?: TurnMetrics | undefined
  readonly tracer?: Tracer | undefined
  readonly pressure?: Pressure | undefined
  /** The public URL of the service, if the operator has set it. */
  readonly appUrl?: string | undefined
  /** Name of the product, if the operator has set it. */
  readonly appName?: string | undefined
  readonly log: Logger
}
