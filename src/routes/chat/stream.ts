import { followRun } from '../../turns/follow.ts'
import { isTerminal } from '../../turns/run-events.ts'
import type { Run } from '../../turns/start-turn.ts'
import type { Services } from '../services.ts'
import type { ChunkEncoder } from './chunks.ts'
import type { StreamNotes } from './delivery.ts'

/** The chunks of a chat reply, from the first one up to the end of its run. */
export async function* chatStream(
  services: Services,
  run: Run,
  encoder: ChunkEncoder,
  left: AbortSignal,
  notes: StreamNotes,
): AsyncGenerator<string> {
  yield encoder.start(run.status)
  let ended = false
  for await (const batch of followRun(services, run, left)) {
    if (batch.some(isTerminal)) {
      ended = true
      notes.complete()
    }
    const text = encoder.events(batch)
    if (text !== '') yield text
  }
  if (ended || left.aborted) return
  await notes.cutShort()
  yield encoder.interrupted()
}
