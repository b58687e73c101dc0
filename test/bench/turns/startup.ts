import { setTimeout as delay } from 'node:timers/promises'
import { type Figure, print } from '../report.ts'
import type { World } from './world.ts'

/** After ten seconds without work the service frees the memory of its start (`operations/start-memory`). */
const idleMs = 15_000

/** Start on a database that is there, and memory when nothing is asked; best of the rounds. */
export async function measureStartup(
  world: World,
  { rounds }: { readonly rounds: number },
): Promise<readonly Figure[]> {
  await world.service.stop()
  const starts: number[] = []
  const idleMb: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const service = await world.startService()
    starts.push(service.startMs)
    await delay(idleMs)
    idleMb.push((await service.rssKib()) / 1_024)
    await service.stop()
  }
  print(`  start: ${starts.map((ms) => ms.toFixed(0)).join(', ')} ms`)
  return [
    { name: 'start to listening', value: Math.min(...starts) / 1_000, unit: 's', goal: 0.4, gate: 0.7 },
    { name: 'RSS when idle', value: Math.min(...idleMb), unit: 'MB', goal: 115, gate: 150 },
  ]
}
