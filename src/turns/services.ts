import type { Peppers } from '../accounts/keys/pepper.ts'
import type { EmbeddingOffer } from '../models/embedding-offer.ts'
import type { RunnerServices } from './drive/run-turn.ts'
import type { Runner } from './drive/runner.ts'
import type { Pressure } from './replicas/pressure.ts'
import type { TurnLimits } from './run/turn-limits.ts'

/** What routes and pages need. Nothing is global, so tests can run several services in one process. */
export type Services = RunnerServices & {
  readonly peppers: Peppers
  readonly runner: Runner
  /** Undefined: the service turns no texts into vectors for clients. */
  readonly embeddings?: EmbeddingOffer | undefined
  readonly limits: TurnLimits
  /** Undefined: no refusal of turns under pressure. */
  readonly pressure?: Pressure | undefined
  /** The public URL of the service, if the operator has set it. */
  readonly appUrl?: string | undefined
  /** Hosts from which files of requests are fetched. Undefined: none. */
  readonly fileUrlHosts?: readonly string[] | undefined
  /** Whether webhook endpoints may be in private networks. */
  readonly webhooksAllowPrivate?: boolean
  /** Name of the product, if the operator has set it. */
  readonly appName?: string | undefined
}
