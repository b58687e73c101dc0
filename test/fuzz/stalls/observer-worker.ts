import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** Another client of the service, in its own thread: requests `/healthz` all the time over one connection. */
const { url } = workerData as { readonly url: string }
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const pauseMs = 4
const timeoutMs = 60_000

let worstMs = 0
let asking: Promise<void> = Promise.resolve()

function ask(): Promise<void> {
  const began = performance.now()
  return new Promise((resolve) => {
    const done = () => {
      worstMs = Math.max(worstMs, performance.now() - began)
      resolve()
    }
    const request = get(`${url}/healthz`, { agent, timeout: timeoutMs }, (reply) => {
      reply.resume().once('close', done)
    })
    request.once('timeout', () => request.destroy())
    // The parent detects that the process has ended; the observer only retries.
    request.once('error', () => delay(50).then(done))
  })
}

parentPort?.on('message', async (order: 'begin' | 'read') => {
  await asking
  if (order === 'begin') worstMs = 0
  parentPort?.postMessage(worstMs)
})

for (;;) {
  asking = ask()
  await asking
  await delay(pauseMs)
}
