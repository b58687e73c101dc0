import { CallFailure } from './failure.ts'

export type Timers = {
  /** From sending the request to the first byte of the reply's body. Headers do not count. */
  readonly firstByteMs: number
  /** Between two payloads. Comments that keep a connection open do not restart it. */
  readonly idleMs: number
  /** The whole call, including retries. */
  readonly totalMs: number
}

type Phase = 'first-byte' | 'idle' | 'trailer'

/** Maximum delay of the usage chunk after the finish chunk. */
const TRAILER_MS = 5_000
/** Node fires longer timers immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * The timers of one model call, and its abort signal. The caller's abort and each timer abort that signal with
 * a `CallFailure`.
 */
export class Watchdog {
  readonly #controller = new AbortController()
  readonly #timers: Timers
  readonly #outer: AbortSignal
  readonly #total: NodeJS.Timeout
  #phase: Phase | undefined
  #timer: NodeJS.Timeout | undefined
  /**
   * While paused, the timer keeps running but has no effect. The next phase is mostly of the same kind and
   * refreshes it.
   */
  #paused = false
  #payloadSeen = false
  #stopped = false

  constructor(timers: Timers, outer: AbortSignal) {
    this.#timers = timers
    this.#outer = outer
    this.#total = this.#start('total', timers.totalMs)
    outer.addEventListener('abort', this.abort)
    if (outer.aborted) this.abort()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether any part of the reply has arrived. The request is then never retried. */
  get payloadSeen(): boolean {
    return this.#payloadSeen
  }

  /** The failure by which the caller or a timer ended the call. */
  get failure(): CallFailure | undefined {
    const { aborted, reason } = this.#controller.signal
    return aborted ? (reason as CallFailure) : undefined
  }

  /** @throws CallFailure if the caller or a timer has ended the call. */
  check(): void {
    if (this.failure) throw this.failure
  }

  /** @throws CallFailure if the caller has aborted. */
  checkCaller(): void {
    if (this.#stopped) throw abortedFailure()
  }

  /** Starts the timer of a phase and stops the current one. */
  expect(phase: Phase): void {
    this.#paused = false
    if (this.#phase === phase && this.#timer) {
      this.#timer.refresh()
      return
    }
    clearTimeout(this.#timer)
    this.#phase = phase
    const { firstByteMs, idleMs } = this.#timers
    const limitMs = { 'first-byte': firstByteMs, idle: idleMs, trailer: Math.min(idleMs, TRAILER_MS) }[phase]
    this.#timer = this.#start(phase, limitMs)
  }

  /** Records a payload and restarts the idle timer. */
  payload(): void {
    this.#payloadSeen = true
    if (this.#phase === 'idle') this.#timer?.refresh()
  }

  /** Pauses the phase timer during the wait before a retry, which is not the upstream's time. */
  pause(): void {
    this.#paused = true
  }

  /** Stops all timers and removes the listener. */
  stop(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#total)
    this.#outer.removeEventListener('abort', this.abort)
  }

  /** Ends the call, like the caller's signal. */
  readonly abort = (): void => {
    this.#stopped = true
    this.#controller.abort(abortedFailure())
  }

  #start(name: Phase | 'total', limitMs: number): NodeJS.Timeout {
    const expire = () => {
      if (name !== 'total' && this.#paused) {
        this.#timer = undefined
        return
      }
      const message = `The model's server was too slow: the ${name} timer ended the call after ${limitMs / 1000} s.`
      this.#controller.abort(new CallFailure('timeout', message))
    }
    return setTimeout(expire, Math.min(limitMs, LONGEST_TIMER_MS))
  }
}

function abortedFailure(): CallFailure {
  return new CallFailure('aborted', 'The model call was stopped.')
}
