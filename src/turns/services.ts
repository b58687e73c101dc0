import type { Peppers } from '../accounts/keys/pepper.ts'
import type { Plans } from '../accounts/plans.ts'
import type { Database } from '../db/client.ts'
import type { Logger } from '../log.ts'
import type { Catalogue } from '../models/model-catalogue.ts'
import type { SemanticSearch } from '../sources/search/meaning/semantic.ts'
import type { Tracer } from '../tracing.ts'
import type { TurnMetrics } from './execution/turn-metrics.ts'
import type { Runner } from './ownership/runner.ts'
import type { Pressure } from './replicas/pressure.ts'
import type { TurnLimits } from './run/turn-limits.ts'

/** What routes and pages are given; nothing here is global, so that tests can run several services in one process. */
export type Services = {
  readonly database: Database
  readonly peppers: Peppers
  readonly plans: Plans
  readonly catalogue: Catalogue
  readonly runner: Runner
  /** Undefined: the library is searched by words only. */
  readonly semantic?: SemanticSearch | undefined
  readonly limits: TurnLimits
  /** Undefined: nobody asks for metrics, nobody takes traces, new turns are never refused under pressure. */
  readonly metrics?: TurnMetrics | undefined
  readonly tracer?: Tracer | undefined
  readonly pressure?: Pressure | undefined
  /** Where people reach the service, if the operator has said it. */
  readonly appUrl?: string | undefined
  readonly log: Logger
}
