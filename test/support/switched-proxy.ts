import { createServer, connect as dial, type Socket } from 'node:net'
import { close, listen } from './loopback.ts'

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
  const port = await listen(server)
  const off = () => {
    const closed = close(server)
    for (const socket of sockets) socket.destroy()
    return closed
  }
  return {
    port,
    off,
    on: async () => void (await listen(server, port)),
    close: off,
  }
}
