import { createServer, connect as dial, type Socket } from 'node:net'
import { close, listenAt } from './loopback.ts'

/** The treatment of one connection: forward it, or cut it. */
export type Cut =
  | { readonly kind: 'pass' }
  /** The request reaches the service; the client's side is cut before any byte of the reply. */
  | { readonly kind: 'before-reply' }
  /** The client's side is cut once this many bytes of the reply have passed. */
  | { readonly kind: 'after-bytes'; readonly bytes: number }
  /** The service does not receive the request. */
  | { readonly kind: 'refuse' }

export type CuttingProxy = {
  readonly url: string
  readonly connections: () => number
  close(): Promise<void>
}

/**
 * A TCP proxy on loopback that can cut connections. `plan` is a list with one entry per connection, after which
 * connections are forwarded, or a function that is called for each connection.
 */
export async function startCuttingProxy(
  target: string,
  plan: readonly Cut[] | (() => Cut),
): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((client) => {
    const cut = (typeof plan === 'function' ? plan() : plan[connections]) ?? { kind: 'pass' }
    connections += 1
    sockets.add(client)
    client.on('error', () => client.destroy())
    if (cut.kind === 'refuse') {
      client.destroy()
      return
    }
    const upstream = dial(Number(port), hostname)
    sockets.add(upstream)
    upstream.on('error', () => client.destroy())
    client.pipe(upstream)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    let passed = 0
    upstream.on('data', (bytes: Buffer) => {
      const room = cut.kind === 'after-bytes' ? cut.bytes - passed : cut.kind === 'pass' ? bytes.length : 0
      if (room > 0) client.write(bytes.subarray(0, room))
      passed += bytes.length
      if (bytes.length >= room && cut.kind !== 'pass') client.destroy()
    })
  })
  return {
    url: await listenAt(server),
    connections: () => connections,
    close() {
      for (const socket of sockets) socket.destroy()
      return close(server)
    },
  }
}
