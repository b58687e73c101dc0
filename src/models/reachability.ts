import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { messageOf } from '../errors.ts'
import type { Logger } from '../log.ts'
import { startPeriodicTask } from '../periodic-work.ts'

/** A server of a model, with its address in the settings. */
export type ModelServer = { readonly model: string; readonly server: string; readonly url: string }

/** Whether a server of a model took the last connection, and when that was first seen without a change between. */
export type ServerState = {
  readonly model: string
  readonly server: string
  readonly reachable: boolean
  readonly since: Date
}

export type ReachabilityWatch = {
  /** Without the servers whose first connection is still under way. */
  states(): readonly ServerState[]
  stop(): Promise<void>
}

const defaults = {
  everyMs: 60_000,
  /** A server that takes no connection for so long is too slow for a turn as well. */
  connectMs: 5_000,
}

/**
 * Connects to each server at once and then every minute, and logs when one cannot be reached and when it can be again. It
 * sends nothing over the connection, so no model is loaded and nothing is paid. The start does not wait for it.
 * @param catalogue its servers are read before each round.
 */
export function watchReachability(
  catalogue: { readonly servers: readonly ModelServer[] },
  log: Pick<Logger, 'info' | 'warn'>,
  { everyMs, connectMs } = defaults,
): ReachabilityWatch {
  const origins = () => [...new Set(catalogue.servers.map(({ url }) => new URL(url).origin))]
  const states = new Map<string, { readonly reachable: boolean; readonly since: Date }>()
  const check = async (origin: string): Promise<void> => {
    const reason = await failureToConnect(new URL(origin), connectMs)
    const reachable = reason === undefined
    const before = states.get(origin)
    if (before?.reachable === reachable) return
    states.set(origin, { reachable, since: new Date() })
    const models = catalogue.servers
      .filter(({ url }) => new URL(url).origin === origin)
      .map(({ model }) => model)
    const named = [...new Set(models)].join(', ')
    if (!reachable)
      log.warn(
        { models: named, origin, reason },
        `the server of the model ${named} cannot be reached at ${origin}: ${reason}. Check MODEL_BASE_URL or MODELS_FILE`,
      )
    else if (before) log.info({ models: named, origin }, 'the server of a model can be reached again')
  }
  const task = startPeriodicTask(
    async () => void (await Promise.all(origins().map(check))),
    everyMs,
    (error) => log.warn({ reason: messageOf(error) }, 'the servers of models were not checked'),
  )
  task.runSoon()
  return {
    states: () =>
      catalogue.servers.flatMap(({ model, server, url }) => {
        const state = states.get(new URL(url).origin)
        return state ? [{ model, server, ...state }] : []
      }),
    stop: () => task.stop(),
  }
}

/** Connects to each server once. `reason` says why it takes no connection; undefined if it does. */
export function askServers(
  servers: readonly ModelServer[],
): Promise<readonly (ModelServer & { readonly reason: string | undefined })[]> {
  return Promise.all(
    servers.map(async (server) => ({
      ...server,
      reason: await failureToConnect(new URL(server.url), defaults.connectMs),
    })),
  )
}

/** @returns why no connection was made, for TLS with its handshake. */
function failureToConnect({ protocol, hostname, port }: URL, connectMs: number): Promise<string | undefined> {
  const isTls = protocol === 'https:'
  // `hostname` has brackets around an IPv6 address.
  const host = hostname.replace(/^\[|\]$/g, '')
  const target = { host, port: Number(port) || (isTls ? 443 : 80) }
  return new Promise((resolve) => {
    const socket = isTls ? connectTls({ ...target, servername: host }) : connectTcp(target)
    const end = (reason: string | undefined) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(reason)
    }
    const timer = setTimeout(end, connectMs, `no connection within ${connectMs / 1_000} s`)
    socket.once(isTls ? 'secureConnect' : 'connect', () => end(undefined))
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.message || error.code || 'no connection'))
  })
}
