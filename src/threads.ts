import { availableParallelism } from 'node:os'
import type { Piscina } from 'piscina'
import { type ErrorCode, messageOf, ServiceError } from './errors.ts'

/**
 * Threads for work that would block the event loop. They start with the first job and end when idle, so an
 * unused pool costs nothing. Each job has a time limit, and its thread is stopped when the client disconnects.
 */

/** Long jobs have their own threads, so that short ones do not wait behind them. So have the checks of answers, for which turns wait. */
type Lane = 'short' | 'answers' | 'long'

type LaneSize = { readonly maxThreads: number; readonly maxQueue: number }

/** One processor is left to the event loop. */
const lanes: Readonly<Record<Lane, LaneSize>> = {
  short: { maxThreads: 1, maxQueue: 100 },
  answers: { maxThreads: 1, maxQueue: 1_000 },
  long: { maxThreads: Math.max(1, Math.min(2, availableParallelism() - 1)), maxQueue: 20 },
}

/** A thread ends after this idle time. Starting one takes 100 to 500 ms. */
const idleMs = 30_000

export type Job = {
  /** A file whose export `job` was created with `inThread`. */
  readonly file: URL
  readonly lane: Lane
  /** Time limit in milliseconds. It includes the time in the queue. */
  readonly maxMs: number
}

/** The result of a job. Errors are sent as data, because an error object loses its code between threads. */
type Outcome<Output> = { readonly value: Output } | { readonly failure: Failure }
type Failure = {
  readonly message: string
  readonly stack: string
  /** Set for a `ServiceError`. */
  readonly public?: { readonly code: ErrorCode; readonly param: string | null }
  /** Code of any other error, such as an SQLSTATE. */
  readonly code?: string
  readonly cause?: Failure
}

/** Creates the export `job` of a job's file. */
export function inThread<Input, Output>(
  work: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Outcome<Output>> {
  return (input) =>
    work(input).then(
      (value) => ({ value }),
      (error) => ({ failure: failureOf(error) }),
    )
}

const pools = new Map<Lane, Promise<Piscina>>()

/**
 * Runs a job in a thread.
 * @param input must be cloneable.
 * @param signal stops the thread when aborted.
 * @throws ServiceError `overloaded` if the queue is full or the time limit is exceeded; the reason of `signal`;
 *   the job's own error.
 */
export async function runJob<Input, Output>(job: Job, input: Input, signal?: AbortSignal): Promise<Output> {
  signal?.throwIfAborted()
  const pool = await poolOf(job.lane)
  if (pool.queueSize >= lanes[job.lane].maxQueue) throw busy()
  const late = AbortSignal.timeout(job.maxMs)
  const ended = signal ? AbortSignal.any([signal, late]) : late
  const outcome = await pool
    .run(input, { filename: job.file.href, name: 'job', signal: ended })
    .catch((error: unknown): never => {
      signal?.throwIfAborted()
      throw late.aborted ? busy() : error
    })
  return unwrapped(outcome as Outcome<Output>)
}

function poolOf(lane: Lane): Promise<Piscina> {
  const opened = pools.get(lane) ?? openPool(lane)
  pools.set(lane, opened)
  return opened
}

async function openPool(lane: Lane): Promise<Piscina> {
  const { Piscina } = await import('piscina')
  return new Piscina({
    minThreads: 0,
    maxThreads: lanes[lane].maxThreads,
    idleTimeout: idleMs,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
}

function busy(): ServiceError {
  return new ServiceError('overloaded', 'The service is busy. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  })
}

function failureOf(error: unknown, depth = 0): Failure {
  const { stack = '', cause, code } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException
  return {
    message: messageOf(error),
    stack,
    ...(error instanceof ServiceError && { public: { code: error.code, param: error.param } }),
    ...(typeof code === 'string' && { code }),
    ...(cause instanceof Error && depth < 5 && { cause: failureOf(cause, depth + 1) }),
  }
}

function unwrapped<Output>(outcome: Outcome<Output>): Output {
  if ('value' in outcome) return outcome.value
  throw errorOf(outcome.failure)
}

function errorOf(failure: Failure): Error {
  const cause = failure.cause && errorOf(failure.cause)
  if (failure.public) {
    const { code, param } = failure.public
    return new ServiceError(code, failure.message, { cause, ...(param !== null && { param }) })
  }
  const error = new Error(failure.message, { cause })
  return Object.assign(error, { stack: failure.stack, ...(failure.code && { code: failure.code }) })
}
