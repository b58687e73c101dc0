import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Config, ConfigError } from '../../config.ts'

type Address = Pick<Config, 'host' | 'port'>

/**
 * Listens at the address for a moment, before the start changes a database.
 * @throws ConfigError if that is not possible.
 */
export async function requireFreeAddress(address: Address): Promise<void> {
  if (address.port === 0) return
  const probe = createServer()
  await refusingAddress(address, () => {
    probe.listen(address.port, address.host)
    return once(probe, 'listening')
  })
  probe.close()
  await once(probe, 'close')
}

/** @throws ConfigError if the app cannot listen at the address. */
export async function listenAt(address: Address, app: FastifyInstance): Promise<void> {
  await refusingAddress(address, () => app.listen({ host: address.host, port: address.port }))
}

async function refusingAddress({ host, port }: Address, listen: () => Promise<unknown>): Promise<void> {
  try {
    await listen()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EADDRINUSE') {
      throw new ConfigError(`Port ${port} on ${host} is in use. Choose another with PORT.`)
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new ConfigError(`The service cannot listen on ${host}:${port} (${code}). Change HOST or PORT.`)
    }
    throw error
  }
}

export type OpenReplies = {
  /** Resolves when all requests that were received until now have their replies. */
  answered(): Promise<void>
}

/** Tracks the replies of a server, so that a shutdown can wait for them. */
export function trackReplies(server: Server): OpenReplies {
  const open = new Set<ServerResponse>()
  server.prependListener('request', (_: unknown, response: ServerResponse) => {
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  return {
    async answered() {
      await Promise.all(
        [...open].map((response) => new Promise((resolve) => response.once('close', resolve))),
      )
    },
  }
}

/** The URL at which this machine reaches the service. */
export function urlOf(config: Pick<Config, 'host' | 'port'>, app: FastifyInstance): string {
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : config.port
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return `http://${host}:${port}`
}
