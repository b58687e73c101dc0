import { Agent } from 'node:http'
import type { Random } from '../support/random.ts'
import type { Cluster, Node } from './cluster.ts'
import { exchange } from './exchange.ts'

/** Target of a client's request. */
export type Place = { readonly name: string; readonly port: number; readonly agent?: Agent }

/** How clients find a replica. */
export type Access = { choose(random: Random): Place; close(): Promise<void> }

/** Chooses any replica, ready or not, through the proxy that injects faults. */
export function anyReplica(cluster: Cluster): Access {
  return {
    choose: (random) => {
      const { replica, clients } = random.pick(cluster.nodes)
      return { name: replica.name, port: clients.port }
    },
    close: async () => undefined,
  }
}

/** Interval of readiness checks, like that of a load balancer. */
const probeMs = 250

/**
 * Acts as a load balancer: chooses replicas whose last `/readyz` succeeded, over keep-alive connections. A
 * replica that refuses a connection counts as not ready until the next check.
 */
export function readyReplicas(cluster: Cluster): Access {
  const agents = new Map(cluster.nodes.map(({ replica }) => [replica.name, new Agent({ keepAlive: true })]))
  const ready = new Set(cluster.nodes.map(({ replica }) => replica.name))
  let stopped = false
  const probing = Promise.all(
    cluster.nodes.map(async (node) => {
      while (!stopped) {
        if (await isReady(node)) ready.add(node.replica.name)
        else ready.delete(node.replica.name)
        await new Promise((resolve) => setTimeout(resolve, probeMs))
      }
    }),
  )
  return {
    choose(random) {
      const open = cluster.nodes.filter(
        ({ replica }) => ready.has(replica.name) && replica.port() !== undefined,
      )
      const { replica } = random.pick((open.length > 0 ? open : cluster.nodes) as [Node, ...Node[]])
      const agent = agents.get(replica.name)
      return { name: replica.name, port: replica.port() ?? 1, ...(agent && { agent }) }
    },
    async close() {
      stopped = true
      await probing
      for (const agent of agents.values()) agent.destroy()
    },
  }
}

async function isReady({ replica }: Node): Promise<boolean> {
  const port = replica.port()
  if (port === undefined) return false
  const { status } = await exchange({ port, method: 'GET', path: '/readyz', headers: {}, timeoutMs: 2_000 })
  return status === 200
}
