/** A server with the faults that the suite looks for, one per path; used by the suite's own test. */
import { createServer } from 'node:http'
import process from 'node:process'
import { runningMs } from '../../support/running-clock.ts'

/**
 * Uses the probe's clock, because on a busy machine most of the wall clock's time can belong to other
 * processes.
 */
function hold(ms: number): void {
  const until = runningMs() + ms
  while (runningMs() < until);
}

const faults: Readonly<Record<string, () => void>> = {
  '/hold': () => hold(400),
  '/fill': () => void Buffer.alloc(300 * 1024 * 1024, 1),
  '/end': () => process.exit(3),
}

const server = createServer(({ url = '' }, response) => {
  faults[url]?.()
  response.end('done')
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  process.stdout.write(`ready at http://127.0.0.1:${port}/v1\n`)
})
