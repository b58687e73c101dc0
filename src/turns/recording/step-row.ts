import type { StepRecord } from '../../agent/events.ts'

/** A finished step as the journal stores it. Its number follows from the steps before it. */
export type StepRow = { readonly record: StepRecord; readonly costMicros: bigint }
