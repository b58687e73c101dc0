import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import type { Surroundings } from './client.ts'
import { exchange } from './exchange.ts'
import type { SeenEvent } from './history.ts'
import type { KnownRun } from './watch.ts'

/**
 * Follows the events of a run to its end over several connections, each to any replica, and resumes after the
 * last received event. The client disconnects after each count of events in `cuts`.
 */
export async function followEvents(
  world: Surroundings,
  run: KnownRun,
  random: Random,
  cuts: readonly number[],
): Promise<void> {
  let after = 0
  for (let connection = 0; !world.over.aborted; connection += 1) {
    const most = cuts[connection] ?? Number.POSITIVE_INFINITY
    const events = await readOnce(world, run, random, after, most)
    world.history.record({ type: 'events', intent: run.intent.id, runId: run.runId, after, events })
    const last = events.at(-1)
    if (last && 'end' in last.body) return
    after = last?.seq ?? after
    await delay(random.between(0, 600))
  }
}

async function readOnce(
  world: Surroundings,
  run: KnownRun,
  random: Random,
  after: number,
  most: number,
): Promise<readonly SeenEvent[]> {
  const byQuery = random.chance(0.5)
  const { text, status } = await exchange({
    ...world.access().choose(random),
    method: 'GET',
    path: `/v1/agent/runs/${run.runId}/events${byQuery ? `?starting_after=${after}` : ''}`,
    headers: {
      authorization: `Bearer ${run.key}`,
      ...(!byQuery && after > 0 && { 'last-event-id': String(after) }),
    },
    // The service sends a comment after ten seconds of silence.
    timeoutMs: 15_000,
    signal: world.over,
    onText: (sofar) => eventsIn(sofar).length >= most,
  })
  return status === 200 ? eventsIn(text).slice(0, most) : []
}

/** Parses complete blocks of events; `id:` must equal the `seq` of the body. */
function eventsIn(text: string): readonly SeenEvent[] {
  const blocks = text.split('\n\n').slice(0, -1)
  return blocks.flatMap((block) => {
    const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line]))
    const data = fields.get('data')?.slice('data: '.length)
    if (data === undefined) return []
    const body = JSON.parse(data) as Record<string, unknown>
    const id = Number(fields.get('id')?.slice('id: '.length))
    return [{ seq: id === body['seq'] ? id : Number.NaN, body }]
  })
}
