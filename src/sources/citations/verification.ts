import type { Database } from '../../db/client.ts'
import { type Job, runJob } from '../../threads.ts'
import type { Verification } from './verify.ts'

/** Time limit of one verification. Quotations not checked by then are left out. */
const verificationMs = 20_000

/** Its searches end within the time limit of a statement, and it may have waited for a thread. */
const verifying: Job = { file: new URL('./verify-text.ts', import.meta.url), lane: 'long', maxMs: 60_000 }

/** Input of the thread. */
export type VerifyInThread = {
  /** URL of the database. The thread opens two connections of its own. */
  readonly url: string
  readonly text: string
  readonly refs: readonly string[]
  readonly explain: boolean
  readonly timeMs: number
}

/**
 * Checks the quotations and refs of a text (see `verifyText`) in a thread, for at most 20 s.
 * @param signal when aborted, ends the thread and its connections.
 * @throws ServiceError `overloaded` when too many verifications wait; the reason of `signal`; database errors.
 */
export function verifyInThread(
  { url }: Database,
  {
    text,
    refs,
    explain = false,
  }: { readonly text: string; readonly refs: readonly string[]; readonly explain?: boolean },
  signal: AbortSignal,
): Promise<Verification> {
  const input: VerifyInThread = { url, text, refs, explain, timeMs: verificationMs }
  return runJob<VerifyInThread, Verification>(verifying, input, signal)
}
