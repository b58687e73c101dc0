import type { StepRecord } from '../../agent/events.ts'

/** A finished step as the journal keeps it; its number follows from those before it. */
export type StepRow = { readonly record: StepRecord; readonly costMicros: bigint }
