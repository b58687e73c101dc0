import { totalmem } from 'node:os'
import process from 'node:process'
import v8 from 'node:v8'

/** Why a process should take no new turn now; undefined when it can. */
export type PressureReason = 'event_loop' | 'heap' | 'memory'

/** What a process has used of what it has. */
export type PressureReadings = {
  /** How late timers are. */
  readonly loopDelayMs: number
  /** Parts of the heap's limit and of the memory of the machine or container, from 0 to 1. */
  readonly heap: number
  readonly memory: number
}

export type PressureSource = { read(): PressureReadings; close(): void }

export type Pressure = {
  /** As of the last half second. */
  reason(): PressureReason | undefined
  /** As of now: whether what is left of the memory is for the turns that run. */
  isShortOfMemory(): boolean
  stop(): void
}

/** A loop that is this late answers nobody in time. */
const maxLoopDelayMs = 500
/** V8 ends a process that comes to its heap's limit, and spends most of its time collecting well before. */
const maxHeap = 0.85
/** What is left is for buffers of the turns that run; the kernel kills a container that comes to its limit. */
const maxMemory = 0.9

const everyMs = 500

/** Watches the process. Reading costs some microseconds, twice a second. */
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

/** A busy loop is none of it: a claimed turn waits for its model most of the time. */
export function isShortOfMemory(readings: PressureReadings): boolean {
  return reasonIn({ ...readings, loopDelayMs: 0 }) !== undefined
}

/** How often the loop's lateness is measured, and how many measurements decide. */
const beatMs = 100
const beats = 5

function processReadings(): PressureSource {
  const loop = watchLoop()
  const constrained = process.constrainedMemory()
  const memoryBytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return {
    read() {
      const { used_heap_size: used, heap_size_limit: limit } = v8.getHeapStatistics()
      const memory = process.memoryUsage.rss() / memoryBytes
      return { loopDelayMs: loop.delayMs(), heap: used / limit, memory }
    },
    close: loop.stop,
  }
}

/**
 * How late timers are: the middle one of the last five. So one long pause, of a start or a machine that was frozen,
 * is no pressure. Not `monitorEventLoopDelay`: after a reset it forgets its first measurement, which is the only one
 * that a loop this busy makes.
 */
function watchLoop(): { delayMs(): number; stop(): void } {
  let late: readonly number[] = []
  let beatAt = performance.now()
  const timer = setInterval(() => {
    const elapsed = performance.now() - beatAt
    beatAt += elapsed
    late = [...late, elapsed - beatMs].slice(-beats)
  }, beatMs)
  timer.unref()
  return {
    delayMs: () => (late.length < beats ? 0 : (late.toSorted((a, b) => a - b)[(beats - 1) / 2] ?? 0)),
    stop: () => clearInterval(timer),
  }
}
