import { once } from 'node:events'
import { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** Lets a server listen on 127.0.0.1. @returns its port. */
export async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The same. @returns its URL, such as `http://127.0.0.1:4321`. */
export const listenAt = async (server: Server): Promise<string> => `http://127.0.0.1:${await listen(server)}`

/** Closes a server, and what HTTP clients keep open. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    if (server instanceof HttpServer) server.closeAllConnections()
  })
}
