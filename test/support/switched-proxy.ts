import { createServer, connect as dial, type Socket } from 'node:net'

/** A TCP proxy on loopback that can be switched off: connections break, and new ones are refused. */
export type SwitchedProxy = {
  readonly port: number
  off(): Promise<void>
  on(): Promise<void>
  close(): Promise<void>
}

export async function startSwitchedProxy(target: {
  readonly host: string
  readonly port: number
}): Promise<SwitchedProxy> {
  const sockets = new Set<Socket>()
  const join = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.pipe(to)
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const server = createServer((client) => {
    const upstream = dial(target.port, target.host)
    join(client, upstream)
    join(upstream, client)
  })
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  await listen(0)
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const off = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return { port, off, on: () => listen(port), close: () => (server.listening ? off() : Promise.resolve()) }
}
