import process from 'node:process'

/**
 * Runs in a thread of the child process and ends the process when it uses more than it may. A thread, because code that
 * loops lets no timer of its own thread fire; a limit of V8 alone would not do, because it does not count buffers.
 * The signals tell `extract` why.
 */

const mostMemoryBytes = 512 * 1024 * 1024
const mostCpuMs = 8_000

setInterval(() => {
  const { user, system } = process.cpuUsage()
  if (process.memoryUsage.rss() > mostMemoryBytes) process.kill(process.pid, 'SIGUSR2')
  else if ((user + system) / 1_000 > mostCpuMs) process.kill(process.pid, 'SIGTERM')
}, 10)
