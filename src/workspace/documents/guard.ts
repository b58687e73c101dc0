import process from 'node:process'
import { workerData } from 'node:worker_threads'
import type { ExtractionLimits } from './extract.ts'

/**
 * Runs in a thread of the child process and ends the process when it uses more than it may. A thread, because code that
 * loops lets no timer of its own thread fire; a limit of V8 alone would not do, because it does not count buffers.
 * The signals tell `extract` why.
 */

const { cpuMs, memoryBytes } = workerData as ExtractionLimits

setInterval(() => {
  const { user, system } = process.cpuUsage()
  if (process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, 'SIGUSR2')
  else if ((user + system) / 1_000 > cpuMs) process.kill(process.pid, 'SIGTERM')
}, 10)
