import process from 'node:process'

/**
 * Runs `work` and measures the longest time for which it holds the event loop, in milliseconds of this thread on a
 * processor: on a busy machine an idle loop is late too.
 */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let most = 0
  let before = process.threadCpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    most = Math.max(most, (user + system) / 1_000)
    before = process.threadCpuUsage()
  }, 1)
  try {
    await work()
    // The timer measures a last piece, however long, after it.
    await new Promise((resolve) => setTimeout(resolve, 2))
    return most
  } finally {
    clearInterval(timer)
  }
}
