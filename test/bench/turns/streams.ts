import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { type Figure, print } from '../report.ts'
import type { Target } from './exchange.ts'
import type { Held, Task } from './hold.ts'
import { boundsHere, reference } from './reference.ts'
import type { Worker } from './worker.ts'
import type { World } from './world.ts'

/** When the service says that a silent stream lives. */
const keepAliveMs = 10_000

/** Many streams that are open at once on one process: silent first, then a chunk a second each. */
export async function measureStreams(
  world: World,
  { short }: { readonly short: boolean },
): Promise<readonly Figure[]> {
  const count = short ? 500 : 5_000
  const openMs = short ? 5_000 : 30_000
  // Each takes as many at once as the largest built-in plan lets it.
  const others = Array.from({ length: 4 }, () => world.withOwner())
  const targets = [world.service.target, ...(await Promise.all(others))]
  const service = await hold(world.service, targets, count, openMs)
  const floor = await hold(world.agentFloor, [world.agentFloor.target], count, openMs)
  const at = `${count} open streams`
  return [
    { name: `${at}: RSS of each`, value: service.kibEach, unit: 'KiB', goal: 56, gate: 96 },
    {
      ...{ name: `${at}: lag of a chunk, p99`, value: service.lagP99, unit: 'ms' },
      // The bounds are for as many as the long form has.
      ...(short ? { goal: 10, gate: 20 } : boundsHere([10, 20], floor.lagP99, reference.lagP99)),
    },
    {
      ...{ name: `${at}: keep-alives, lateness p99`, unit: 'ms', goal: 100, gate: 1_000 },
      value: service.silenceP99 - keepAliveMs,
    },
  ]
}

async function hold(
  server: Worker,
  targets: readonly Target[],
  count: number,
  openMs: number,
): Promise<Held & { readonly kibEach: number }> {
  const clients = fork(path.join(import.meta.dirname, 'hold.ts'))
  const hear = async () => (await Promise.race([once(clients, 'message'), failure(clients)]))[0]
  const task: Task = { targets: targets.map(({ dispatcher: _, ...target }) => target), count, openMs }
  clients.send(task)
  await hear()
  const warmKib = await server.rssKib()
  let openKib = warmKib
  const watch = setInterval(async () => {
    openKib = Math.max(openKib, await server.rssKib())
  }, 500)
  clients.send('go')
  const held = (await hear()) as Held
  clearInterval(watch)
  print(
    `  ${targets[0]?.name}, ${count} streams: RSS ${(warmKib / 1024).toFixed(0)} MB before, at most ${(openKib / 1024).toFixed(0)} MB; lag p50 ${held.lagP50.toFixed(1)} ms, p99 ${held.lagP99.toFixed(1)} ms, most ${held.lagMost.toFixed(0)} ms`,
  )
  return { ...held, kibEach: (openKib - warmKib) / count }
}

async function failure(clients: ChildProcess): Promise<never> {
  const [code] = await once(clients, 'exit')
  throw new Error(`the clients ended with ${code}`)
}
