import type { Database } from '../../db/client.ts'
import { type Job, runJob } from '../../threads.ts'
import type { Verification } from './verify.ts'

/** Quotations that are not checked by then are left out. */
const verificationMs = 20_000

/** Its searches end within the time limit of a statement, and it may have waited for a thread. */
const verifying: Job = { file: new URL('./verify-text.ts', import.meta.url), lane: 'long', maxMs: 60_000 }

/** What the thread is given. */
export type VerifyInThread = {
  /** Of the database: the thread makes two connections of its own. */
  readonly url: string
  readonly text: string
  readonly refs: readonly string[]
  readonly timeMs: number
}

/**
 * Checks the quotations and refs of a text (see `verifyText`) in a thread, for 20 s.
 * @param signal ends the thread, and its connections, when it is aborted.
 * @throws ServiceError `overloaded` when too many wait; the reason of `signal`; database errors.
 */
export function verifyInThread(
  { url }: Database,
  { text, refs }: { readonly text: string; readonly refs: readonly string[] },
  signal: AbortSignal,
): Promise<Verification> {
  const input: VerifyInThread = { url, text, refs, timeMs: verificationMs }
  return runJob<VerifyInThread, Verification>(verifying, input, signal)
}
