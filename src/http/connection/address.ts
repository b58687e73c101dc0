import { once } from 'node:events'
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
