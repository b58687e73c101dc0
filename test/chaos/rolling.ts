import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { History } from './history.ts'

/** Longer than the interval of readiness checks, so that the load balancer notices. */
const noticedMs = 1_000

/** Restarts the replicas one after the other with SIGTERM, `rounds` times. */
export async function restartOneByOne(cluster: Cluster, history: History, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const { replica } of cluster.nodes) {
      await delay(noticedMs)
      history.record({ type: 'fault', fault: 'sigterm', on: replica.name })
      replica.signal('SIGTERM')
      while (replica.state() === 'stopping') await delay(50)
      await cluster.untilReady()
    }
  }
  await delay(noticedMs)
}
