import type { StreamOut } from '../../http/connection/stream.ts'
import { followRun } from '../../turns/read/follow.ts'
import type { Run } from '../../turns/run/run.ts'
import { isTerminal, type RunEvent } from '../../turns/run/run-events.ts'
import type { Services } from '../../turns/services.ts'
import type { ReplyOutcome } from '../turn-reply/delivery.ts'
import type { ChunkEncoder } from './chunks.ts'

/** Writes the chunks of a chat reply, from the first one to the end of its run. */
export async function chatStream(
  services: Services,
  run: Run,
  encoder: ChunkEncoder,
  left: AbortSignal,
  out: StreamOut,
  notes: ReplyOutcome,
): Promise<void> {
  // May wait, so that the first text of a fast model is written with it.
  await out.add(encoder.start(run.status), true)
  let ended = false
  await followRun(services, run, left, (batch) => {
    if (batch.some(isTerminal)) {
      ended = true
      notes.complete()
    }
    return out.add(encoder.events(batch), batch.every(isHint))
  })
  if (ended || left.aborted) return
  await notes.cutShort()
  await out.add(encoder.interrupted())
}

/** Whether an event reports progress and carries no part of the answer. */
function isHint(event: RunEvent): boolean {
  return event.type !== 'text.delta' && event.type !== 'file' && !isTerminal(event)
}
