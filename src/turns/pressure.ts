import { totalmem } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import process from 'node:process'
import v8 from 'node:v8'

/** Why a process should take no new turn now; undefined when it can. */
export type PressureReason = 'event_loop' | 'heap' | 'memory'

/** What a process has used of what it has. */
export type PressureReadings = {
  /** Mean delay of timers since the last reading. */
  readonly loopDelayMs: number
  /** Parts of the heap's limit and of the memory of the machine or container, from 0 to 1. */
  readonly heap: number
  readonly memory: number
}

export type PressureSource = { read(): PressureReadings; close(): void }

export type Pressure = { reason(): PressureReason | undefined; stop(): void }

/** A loop that is this late answers nobody in time. */
const mostLoopDelayMs = 300
/** V8 ends a process that comes to its heap's limit, and spends most of its time collecting well before. */
const mostHeap = 0.85
/** What is left is for buffers of the turns that run; the kernel kills a container that comes to its limit. */
const mostMemory = 0.9

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
    stop() {
      clearInterval(timer)
      source.close()
    },
  }
}

export function reasonIn({ loopDelayMs, heap, memory }: PressureReadings): PressureReason | undefined {
  if (heap > mostHeap) return 'heap'
  if (memory > mostMemory) return 'memory'
  return loopDelayMs > mostLoopDelayMs ? 'event_loop' : undefined
}

const resolutionMs = 20

function processReadings(): PressureSource {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  const constrained = process.constrainedMemory()
  const memoryBytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return {
    read() {
      // The histogram counts from the start of its timer's interval.
      const loopDelayMs = Number.isNaN(delay.mean) ? 0 : delay.mean / 1e6 - resolutionMs
      delay.reset()
      const { used_heap_size: used, heap_size_limit: limit } = v8.getHeapStatistics()
      return { loopDelayMs, heap: used / limit, memory: process.memoryUsage.rss() / memoryBytes }
    },
    close: () => void delay.disable(),
  }
}
