import type { Plans } from '../../accounts/plans.ts'
import type { Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import type { Lease } from '../run/lease.ts'
import type { Run } from '../run/run.ts'
import type { TurnLimits } from '../run/turn-limits.ts'
import type { TurnInput } from './turn-input.ts'

/**
 * The retry window, in minutes, for requests without an `Idempotency-Key`. Equal requests on two open connections start two
 * turns, because a back end serves many people with one API key.
 */
export const windowMinutes = 15

export type Admission = {
  readonly principal: Principal
  readonly input: TurnInput
  readonly plans: Plans
  readonly limits: TurnLimits
  /** The lease of this process, which drives the run unless it is queued. */
  readonly lease: Lease
  /** All attempts at one start share this id, so none can write a second run. */
  readonly runId: string
  /** The name under which this process holds clients. Null while other replicas cannot see it. */
  readonly clientAt: string | null
}

/** Why a request was admitted, as its run keeps it. The statement adds `available_micros` and `open_turns` from before. */
export type AdmissionFacts = {
  /**
   * `plain`: one statement found nothing against it. `looked`: a transaction looked at each rule. `queued`: behind the open
   * turn of its session.
   */
  readonly rule: 'plain' | 'looked' | 'queued'
  /** An unfinished equal run whose client is connected to another live replica. */
  readonly equal_run?: string
}

export type Admitted = {
  readonly kind: 'admitted'
  readonly run: Run
  /** The messages of this turn, as they are stored. */
  readonly fresh: readonly ModelMessage[]
}

export type Decision =
  | Admitted
  /** An earlier attempt at this start wrote the run. */
  | { readonly kind: 'written' }
  | Repetition

/** What an equal request found. */
export type Repetition =
  /** The request repeats this run, by this rule. Its client is now the run's client. */
  | { readonly kind: 'repeated'; readonly runId: string; readonly rule: RetryRule }
  /** An equal run is unfinished, and its client is connected to another live replica. Look again. */
  | { readonly kind: 'undecided'; readonly runId: string }

export type RetryRule = 'idempotency_key' | 'marked_as_retry' | 'client_disconnected' | 'replica_ended'
