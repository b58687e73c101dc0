import { CallFailure } from './openai-failure.ts'

export type Timers = {
  /** From sending the request to the first byte of the reply's body; headers alone do not count. */
  readonly firstByteMs: number
  /** Between two payloads. Comments that keep a connection open do not re-arm it. */
  readonly idleMs: number
  /** The whole call with its retries. */
  readonly totalMs: number
}

type Phase = 'first-byte' | 'idle' | 'trailer'

/** How long the usage chunk may lag behind the finish chunk. */
const TRAILER_MS = 5_000
/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * The clocks of one model call, and its one abort signal: the caller's abort and each timer end in it, with a
 * `CallFailure` as the reason.
 */
export class Watchdog {
  readonly #controller = new AbortController()
  readonly #timers: Timers
  readonly #outer: AbortSignal
  readonly #total: NodeJS.Timeout
  #phase: Phase | undefined
  #timer: NodeJS.Timeout | undefined
  /** The timer runs on and is not heeded: most phases follow on one of the same kind, which then needs no other. */
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

  /** True once any of the reply has arrived: from then on the request is never sent again. */
  get payloadSeen(): boolean {
    return this.#payloadSeen
  }

  /** What ended the call, if the caller or a timer did. */
  get failure(): CallFailure | undefined {
    const { aborted, reason } = this.#controller.signal
    return aborted ? (reason as CallFailure) : undefined
  }

  /** @throws CallFailure when the caller or a timer has ended the call. */
  check(): void {
    if (this.failure) throw this.failure
  }

  /** @throws CallFailure when the caller has aborted. */
  checkCaller(): void {
    if (this.#stopped) throw abortedFailure()
  }

  /** Starts the clock of a phase in place of the one that runs. */
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

  /** Notes a payload and gives the next one its full time. */
  payload(): void {
    this.#payloadSeen = true
    if (this.#phase === 'idle') this.#timer?.refresh()
  }

  /** Stops the phase clock while the time is not the upstream's: it is waited before a retry. */
  pause(): void {
    this.#paused = true
  }

  /** Lets go of all timers and listeners. */
  stop(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#total)
    this.#outer.removeEventListener('abort', this.abort)
  }

  /** Ends the call, as the caller's signal does. */
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
