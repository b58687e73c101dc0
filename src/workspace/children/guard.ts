import process from 'node:process'
import { Worker, workerData } from 'node:worker_threads'

/** Limits of one child process: processor time in ms, memory in bytes. */
export type ChildLimits = { readonly cpuMs: number; readonly memoryBytes: number }

/** Signals with which a child process ends itself. V8 ends it with SIGABRT when its own limit is reached. */
const limitSignals = { time: 'SIGTERM', memory: 'SIGUSR2' } as const

/** Which limit a child has exceeded, by the signal that ended it. Undefined for any other end. */
export function exceededLimit(by: NodeJS.Signals | null): 'time' | 'memory' | undefined {
  if (by === limitSignals.time) return 'time'
  return by === limitSignals.memory || by === 'SIGABRT' ? 'memory' : undefined
}

/**
 * Kills this process when it exceeds `limits`. A thread watches, because a timer in the main thread would not fire
 * during a loop, and V8's own limit does not count buffers. Started before `closeNetwork`, which refuses threads.
 */
export function startGuard(limits: ChildLimits): Worker {
  return new Worker(new URL('./guard.ts', import.meta.url), { workerData: { guards: limits } })
}

const { guards } = (workerData ?? {}) as { readonly guards?: ChildLimits }
if (guards) {
  setInterval(() => {
    const { user, system } = process.cpuUsage()
    if (process.memoryUsage.rss() > guards.memoryBytes) process.kill(process.pid, limitSignals.memory)
    else if ((user + system) / 1_000 > guards.cpuMs) process.kill(process.pid, limitSignals.time)
  }, 10)
}
