import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import type { Cluster, Node } from './cluster.ts'
import type { FaultKind, History } from './history.ts'

export type Storm = {
  /** Kills the process that drives a turn, on request of the turn. */
  aim(replica: string): void
  /** Starts no more faults, and waits until the current ones are over. */
  calm(): Promise<void>
}

/** One kind of fault, and its frequency. */
type Loop = {
  readonly fault: FaultKind
  /** Pause after one fault, in milliseconds. */
  readonly pauseMs: (random: Random) => number
  /**
   * Executes the fault to its end.
   * @returns its target, or undefined when there was none.
   */
  readonly act: (random: Random) => Promise<Done | undefined> | Done | undefined
}

type Done = { readonly on: string; readonly detail?: number }

/**
 * Injects all kinds of faults at once. The seed decides the order, times and replicas of each kind; the state
 * at that moment is not reproducible.
 */
export function startStorm(cluster: Cluster, random: Random, history: History): Storm {
  const stop = new AbortController()
  let active = true
  const record = (fault: FaultKind, done: Done) => history.record({ type: 'fault', fault, ...done })

  const loops = [...processFaults(cluster, stop.signal), ...wireFaults(cluster), ...databaseFaults(cluster)]
  const running = loops.map(async ({ fault, pauseMs, act }) => {
    const own = random.fork(fault)
    while (!stop.signal.aborted) {
      await delay(pauseMs(own), undefined, { signal: stop.signal }).catch(() => undefined)
      if (stop.signal.aborted) return
      const done = await act(own)
      if (done) record(fault, done)
    }
  })

  return {
    aim(name) {
      const node = cluster.nodes.find(({ replica }) => replica.name === name)
      if (active && node?.replica.signal('SIGKILL')) record('aimed kill', { on: name })
    },
    async calm() {
      active = false
      stop.abort()
      await Promise.all(running)
    },
  }
}

const between = (low: number, high: number) => (random: Random) => random.between(low, high)

/** Several faults in quick succession, then a pause in which turns can advance. */
function inGusts(): (random: Random) => number {
  let left = 0
  return (random) => {
    left -= 1
    if (left > 0) return random.between(500, 3_000)
    left = random.whole(2, 5)
    return random.between(8_000, 20_000)
  }
}

/**
 * Usually a ready replica, sometimes any. Killing a replica that is starting disturbs nothing, so at least
 * one must stay ready.
 */
function chosenFrom({ nodes }: Cluster, random: Random, spared: number): Node | undefined {
  const first = random.whole(0, nodes.length - 1)
  if (random.chance(0.1)) return nodes[first]
  const serving = nodes.filter(({ replica }) => replica.state() === 'ready')
  if (serving.length <= spared) return undefined
  return [...nodes.slice(first), ...nodes.slice(0, first)].find((node) => serving.includes(node))
}

/**
 * A suspended owner's lease has 10 to 15 s left: half of the pauses end about when another replica takes
 * over. The others are much shorter or longer.
 */
function freezeMs(random: Random): number {
  const [kind, short, near, long] = [
    random.next(),
    random.between(1_000, 6_000),
    random.between(10_500, 16_500),
    random.between(17_000, 20_000),
  ]
  return kind < 0.4 ? short : kind < 0.9 ? near : long
}

function processFaults(cluster: Cluster, stop: AbortSignal): readonly Loop[] {
  return [
    {
      fault: 'kill',
      pauseMs: inGusts(),
      act(random) {
        const node = chosenFrom(cluster, random, 1)
        return node?.replica.signal('SIGKILL') ? { on: node.replica.name } : undefined
      },
    },
    {
      fault: 'freeze',
      pauseMs: between(2_000, 7_000),
      async act(random) {
        const node = chosenFrom(cluster, random, 0)
        const ms = freezeMs(random)
        const frozen = await node?.replica.freeze(ms, stop)
        return node && frozen ? { on: node.replica.name, detail: Math.round(ms) } : undefined
      },
    },
    {
      fault: 'sigterm',
      pauseMs: between(6_000, 15_000),
      act(random) {
        const node = chosenFrom(cluster, random, 1)
        if (node?.replica.state() !== 'ready') return undefined
        return node.replica.signal('SIGTERM') ? { on: node.replica.name } : undefined
      },
    },
  ]
}

function wireFaults(cluster: Cluster): readonly Loop[] {
  const { nodes } = cluster
  // A separate generator, so that the number of connections does not change the following choices.
  const some = (random: Random) => {
    const share = random.pick([0.1, 0.5, 1])
    const own = random.fork(String(random.next()))
    return () => own.chance(share)
  }
  return [
    {
      fault: 'client wires cut',
      pauseMs: between(300, 2_000),
      act(random) {
        const { replica, clients } = random.pick(nodes)
        const count = clients.cut(some(random), random.chance(0.5))
        return count > 0 ? { on: replica.name, detail: count } : undefined
      },
    },
    {
      fault: 'client wires half-closed',
      pauseMs: between(2_000, 8_000),
      act(random) {
        const { replica, clients } = random.pick(nodes)
        const count = clients.halfClose(some(random))
        return count > 0 ? { on: replica.name, detail: count } : undefined
      },
    },
    {
      fault: 'client wires stalled',
      pauseMs: between(4_000, 12_000),
      async act(random) {
        const { replica, clients } = random.pick(nodes)
        const ms = Math.round(random.between(500, 5_000))
        await clients.stall(ms)
        return { on: replica.name, detail: ms }
      },
    },
    {
      fault: 'client wires slow',
      pauseMs: between(5_000, 15_000),
      async act(random) {
        const { replica, clients } = random.pick(nodes)
        const byMs = Math.round(random.between(20, 400))
        await clients.slow(byMs, random.between(1_000, 6_000))
        return { on: replica.name, detail: byMs }
      },
    },
    {
      fault: 'database wires cut',
      pauseMs: between(2_000, 8_000),
      act(random) {
        const node = chosenFrom(cluster, random, 0)
        const [chosen, reset] = [some(random), random.chance(0.5)]
        const count = node?.database.cut(chosen, reset) ?? 0
        return node && count > 0 ? { on: node.replica.name, detail: count } : undefined
      },
    },
    {
      fault: 'database wires stalled',
      pauseMs: between(6_000, 18_000),
      async act(random) {
        const node = chosenFrom(cluster, random, 0)
        const ms = Math.round(random.between(500, 6_000))
        const forGood = random.chance(0.5)
        await node?.database.stall(ms)
        if (forGood) node?.database.cut(() => true, true)
        return node && { on: node.replica.name, detail: ms }
      },
    },
    {
      fault: 'database wires refused',
      pauseMs: between(8_000, 20_000),
      async act(random) {
        const node = chosenFrom(cluster, random, 0)
        const ms = Math.round(random.between(500, 3_000))
        node?.database.cut(() => true, true)
        await node?.database.refuse(ms)
        return node && { on: node.replica.name, detail: ms }
      },
    },
  ]
}

function databaseFaults(cluster: Cluster): readonly Loop[] {
  return [
    {
      fault: 'backend terminated',
      pauseMs: between(1_000, 1_000),
      async act(random) {
        const done = await cluster.postgres.terminateBackend(random.next())
        return done ? { on: 'postgres' } : undefined
      },
    },
    {
      fault: 'postgres crash',
      pauseMs: between(25_000, 60_000),
      async act(random) {
        const began = Date.now()
        await cluster.crashPostgres(Math.round(random.between(0, 4_000)))
        // How long ago it stopped.
        return { on: 'postgres', detail: Date.now() - began }
      },
    },
  ]
}
