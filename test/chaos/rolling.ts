import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { History } from './history.ts'

/** Long enough for a balancer to have asked again. */
const noticedMs = 1_000

/** Restarts the replicas one after the other, each with SIGTERM, so many times round. */
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
