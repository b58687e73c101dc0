import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openWorld } from '../support/world/world.ts'

test('a request during shutdown gets a 503 with retry-after in the error shape', async () => {
  const world = await openWorld({ model: 'built-in' })
  const { service } = world
  const { hostname, port } = new URL(service.url)
  // Open before, used after: what a balancer keeps open looks like this.
  const kept = connect(Number(port), hostname)
  await once(kept, 'connect')
  const accepted = () =>
    new Promise<number>((resolve) => service.app.server.getConnections((_, count) => resolve(count)))
  await expect.poll(accepted).toBe(1)
  const closing = service.app.close()
  kept.write('GET /healthz HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n')
  const reply = await text(kept)
  expect(reply).toMatch(/^HTTP\/1\.1 503 /)
  expect(reply.toLowerCase()).toContain('\r\nretry-after: 1\r\n')
  expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toMatchObject({
    error: { type: 'server_error', code: 'overloaded', param: null },
  })
  await closing
  await world.close()
})
