import type { Random } from '../support/random.ts'
import { type Client, repeatRequest, type Surroundings } from './client.ts'
import { followEvents } from './follow.ts'
import type { Recorded } from './history.ts'
import { pollRun } from './watch.ts'

type Asked = Extract<Recorded, { type: 'intent' }>

/** Maximum number of requests to send again. */
const most = 200

/**
 * Repeats answered requests, which must replay their runs, and reads those runs and their events. The checker
 * compares them with the earlier replies.
 */
export async function readBack(world: Surroundings, clients: readonly Client[]): Promise<void> {
  const answered = new Set(
    world.history.entries.flatMap((e) => (e.type === 'closed' && e.how !== 'left' ? [e.intent] : [])),
  )
  const asked = world.history.entries.filter(
    (entry): entry is Asked =>
      entry.type === 'intent' && entry.intent.guard === 'key' && answered.has(entry.intent.id),
  )
  const step = Math.max(1, Math.floor(asked.length / most))
  const chosen = asked.filter((_, i) => i % step === 0)
  await Promise.all(
    clients.map(async (client, mine) => {
      for (const [i, entry] of chosen.entries()) {
        if (i % clients.length === mine) await readOne(world, clients, client.random, entry, i % 4 === 0)
      }
    }),
  )
}

async function readOne(
  world: Surroundings,
  clients: readonly Client[],
  random: Random,
  { intent, sessionId }: Asked,
  withEvents: boolean,
): Promise<void> {
  // Only the client's own key finds the run.
  const client = clients[Number(intent.client.slice(1)) || 0]
  if (!client) return
  const { runId } = await repeatRequest(world, client, intent, sessionId)
  if (runId === undefined) return
  const run = { intent, runId, key: client.key }
  await pollRun(world, run, random)
  if (withEvents) await followEvents(world, run, random, [2])
}
