import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { readonly headers: IncomingHttpHeaders; readonly body: string }

/** A server of a customer that is told of events. `answer` decides the status of each request, or waits. */
export async function startReceiver(
  answer: (received: Received, count: number) => number | Promise<number> = () => 204,
) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', async () => {
      const one = { headers: request.headers, body }
      received.push(one)
      response.writeHead(await answer(one, received.length), { location: '/elsewhere' }).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
