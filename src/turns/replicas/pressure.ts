import { totalmem } from 'node:os'
import process from 'node:process'
import v8 from 'node:v8'

/** Why a process should accept no new turn at this moment. */
export type PressureReason = 'event_loop' | 'heap' | 'memory'

/** How much of its resources the process uses. */
export type PressureReadings = {
  /** How late timers are, in milliseconds. */
  readonly loopDelayMs: number
  /** Fractions, from 0 to 1, of the heap limit and of the memory of the machine or container. */
  readonly heap: number
  readonly memory: number
}

export type PressureSource = { read(): PressureReadings; close(): void }

export type Pressure = {
  /** The state at the last measurement, at most half a second ago. */
  reason(): PressureReason | undefined
  /** The state now: true if the remaining memory must be kept for the running turns. */
  isShortOfMemory(): boolean
  stop(): void
}

/** If timers are later than this, clients no longer get answers in time. */
const maxLoopDelayMs = 500
/** V8 aborts a process at its heap limit, and spends most of its time on garbage collection before that. */
const maxHeap = 0.85
/** The remaining memory is for buffers of running turns. The kernel kills a container at its limit. */
const maxMemory = 0.9

const everyMs = 500

/** Measures the process twice a second. A measurement takes a few microseconds. */
export function watchPressure(source: PressureSource = processReadings()): Pressure {
  let reason: PressureReason | undefined
  const timer = setInterval(() => {
    reason = reasonIn(source.read())
  }, everyMs)
  timer.unref()
  return {
    reason: () => reason,
    isShortOfMemory: () => isShortOfMemory(source.read()),
    stop() {
      clearInterval(timer)
      source.close()
    },
  }
}

export function reasonIn({ loopDelayMs, heap, memory }: PressureReadings): PressureReason | undefined {
  if (heap > maxHeap) return 'heap'
  if (memory > maxMemory) return 'memory'
  return loopDelayMs > maxLoopDelayMs ? 'event_loop' : undefined
}

/** A busy event loop does not count: a claimed turn mostly waits for its model. */
export function isShortOfMemory(readings: PressureReadings): boolean {
  return reasonIn({ ...readings, loopDelayMs: 0 }) !== undefined
}

/** Interval of the loop measurement in milliseconds, and number of measurements in the median. */
const beatMs = 100
const beats = 5

function processReadings(): PressureSource {
  const loop = new LoopDelay(performance.now())
  const timer = setInterval(() => loop.beat(performance.now()), beatMs)
  timer.unref()
  const constrained = process.constrainedMemory()
  const memoryBytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return {
    read() {
      const { used_heap_size: used, heap_size_limit: limit } = v8.getHeapStatistics()
      const memory = process.memoryUsage.rss() / memoryBytes
      return { loopDelayMs: loop.delayMs(), heap: used / limit, memory }
    },
    close: () => clearInterval(timer),
  }
}

/**
 * Measures how late timers are: the median of the last five measurements, so one long pause (a start, a frozen
 * machine) is not pressure. `monitorEventLoopDelay` is not used: after a reset it drops its first measurement,
 * often the only one in a busy loop.
 */
export class LoopDelay {
  #late: readonly number[] = []
  #beatAt: number

  /** @param now milliseconds of a clock that never goes back, as each `beat` has them. */
  constructor(now: number) {
    this.#beatAt = now
  }

  /** Notes that a timer of `beatMs` has run. */
  beat(now: number): void {
    this.#late = [...this.#late, now - this.#beatAt - beatMs].slice(-beats)
    this.#beatAt = now
  }

  /** 0 until there are five measurements. */
  delayMs(): number {
    if (this.#late.length < beats) return 0
    return this.#late.toSorted((a, b) => a - b)[(beats - 1) / 2] ?? 0
  }
}
