import { createServer, connect as dial, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { close, listen } from '../support/loopback.ts'

/** A TCP proxy on loopback that can inject faults into its connections. By default it forwards everything. */
export type FaultyProxy = {
  readonly port: number
  /** Where new connections go. */
  aim(port: number): void
  /**
   * Cuts the chosen connections; `reset` with RST, otherwise with FIN.
   * @returns how many.
   */
  cut(chosen: (index: number) => boolean, reset: boolean): number
  /**
   * Ends one direction of the chosen connections, and the other one a second later.
   * @returns how many.
   */
  halfClose(chosen: (index: number) => boolean): number
  /** Forwards nothing for `ms`; connections stay open. */
  stall(ms: number): Promise<void>
  /** Delays all data by `byMs`, for `ms`. */
  slow(byMs: number, ms: number): Promise<void>
  /** Refuses new connections for `ms`. */
  refuse(ms: number): Promise<void>
  close(): Promise<void>
}

type Link = { readonly client: Socket; readonly server: Socket }

export async function startFaultyProxy(firstTarget: number): Promise<FaultyProxy> {
  const links = new Set<Link>()
  const state: State = { target: firstTarget, stalled: false, refusing: false, delayMs: 0 }
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (state.refusing) client.resetAndDestroy()
    else join(client, state, links)
  })
  const each = (chosen: (index: number) => boolean, act: (link: Link) => void): number => {
    const those = [...links].filter((_, index) => chosen(index))
    for (const link of those) act(link)
    return those.length
  }
  const sockets = () => [...links].flatMap(({ client, server }) => [client, server])
  return {
    port: await listen(listener),
    aim(port) {
      state.target = port
    },
    cut: (chosen, reset) => each(chosen, (link) => breakLink(link, reset)),
    halfClose: (chosen) =>
      each(chosen, (link) => {
        link.server.end()
        setTimeout(() => breakLink(link, false), 1_000).unref()
      }),
    async stall(ms) {
      state.stalled = true
      for (const socket of sockets()) socket.pause()
      await delay(ms)
      state.stalled = false
      for (const socket of sockets()) socket.resume()
    },
    async slow(byMs, ms) {
      state.delayMs = byMs
      await delay(ms)
      state.delayMs = 0
    },
    async refuse(ms) {
      state.refusing = true
      await delay(ms)
      state.refusing = false
    },
    close() {
      for (const link of links) breakLink(link, false)
      return close(listener)
    },
  }
}

type State = { target: number; stalled: boolean; refusing: boolean; delayMs: number }

function join(client: Socket, state: State, links: Set<Link>): void {
  const server = dial({ port: state.target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  const link = { client, server }
  links.add(link)
  pass(client, server, state)
  pass(server, client, state)
  const gone = () => {
    breakLink(link, false)
    links.delete(link)
  }
  for (const socket of [client, server]) {
    socket.on('error', gone)
    socket.on('close', gone)
    if (state.stalled) socket.pause()
  }
}

/** Keeps the order of the data when the delay changes. */
function pass(from: Socket, to: Socket, state: State): void {
  let line: Promise<void> = Promise.resolve()
  let waiting = 0
  const forward = (act: () => void) => {
    if (waiting === 0 && state.delayMs === 0) {
      act()
      return
    }
    waiting += 1
    const due = Date.now() + state.delayMs
    line = line.then(async () => {
      await delay(Math.max(0, due - Date.now()))
      waiting -= 1
      act()
    })
  }
  from.on('data', (bytes) => {
    forward(() => {
      if (to.destroyed || to.write(bytes)) return
      from.pause()
    })
  })
  to.on('drain', () => {
    if (!state.stalled) from.resume()
  })
  from.on('end', () => forward(() => void to.end()))
}

function breakLink({ client, server }: Link, reset: boolean): void {
  for (const socket of [client, server]) {
    if (socket.destroyed) continue
    if (reset) socket.resetAndDestroy()
    else socket.destroy()
  }
}
