import process from 'node:process'
import { workerData } from 'node:worker_threads'
import type { ExtractionLimits } from './extract.ts'

/**
 * Runs in a thread of the child process and kills the process when it exceeds its limits. A timer in the main thread
 * would not fire during a loop, and V8's own limit does not count buffers. The signals tell `extract` which limit was
 * exceeded.
 */

const { cpuMs, memoryBytes } = workerData as ExtractionLimits

setInterval(() => {
  const { user, system } = process.cpuUsage()
  if (process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, 'SIGUSR2')
  else if ((user + system) / 1_000 > cpuMs) process.kill(process.pid, 'SIGTERM')
}, 10)
