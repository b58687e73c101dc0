import type { ModelMessage } from '../../agent/provider.ts'
import type { Span } from '../../tracing.ts'
import type { RunnerServices } from '../drive/run-turn.ts'
import type { Runner } from '../drive/runner.ts'
import type { Pressure } from '../replicas/pressure.ts'
import type { Run } from '../run/run.ts'
import type { TurnLimits } from '../run/turn-limits.ts'
import { underPressure } from './refusals.ts'
import type { CostBound } from './requested-model.ts'
import type { TurnInput } from './turn-input.ts'

/** A turn as a route reads it. `left` is aborted when the client disconnects. `span` is the request's span. */
export type ClientTurn = Omit<TurnInput, 'firstCallMicros' | 'maxMicros' | 'tokenMicros'> &
  CostBound & { readonly left: AbortSignal; readonly span?: Span | undefined }

/** A turn whose first call has a price. */
export type PricedTurn = ClientTurn & TurnInput

export type AdmissionServices = Pick<
  RunnerServices,
  'database' | 'library' | 'plans' | 'catalogue' | 'mcpServers' | 'moderation' | 'metrics' | 'log'
> & {
  readonly limits: TurnLimits
  readonly runner: Runner
  readonly pressure?: Pressure | undefined
}

/** `repeated`: the request duplicates the one that started this run. Nothing was written. */
export type Started = {
  readonly run: Run
  readonly repeated: boolean
  /** The conversation for the model. Set only if all of it has just been written. */
  readonly conversation?: readonly ModelMessage[]
}

/** Refuses new turns under pressure, because the running turns need the remaining resources. */
export function refuseUnderPressure({ pressure, metrics }: AdmissionServices): void {
  const reason = pressure?.reason()
  if (reason === undefined) return
  metrics?.refused(reason)
  throw underPressure()
}
