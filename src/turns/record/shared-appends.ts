import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises'
import type { RunEvent } from '../run/run-events.ts'
import type { RunEvents, RunPosition, TurnStore } from './turn-store.ts'

export type SharedAppends = ReturnType<typeof createSharedAppends>

type Waiting = { readonly line: RunEvents; readonly resolve: (isWritten: boolean | undefined) => void }

/** Maximum runs per transaction. Each adds a few KB. */
const maxLines = 1_000
/**
 * Pause between transactions. A run flushes at most ten times a second, so with few runs this pause delays
 * nobody.
 */
const pauseMs = 25

/**
 * Appends events between steps, for all runs that a process drives. One transaction runs at a time, and events
 * that arrive meanwhile form the next batch. Thousands of slow streams therefore need only a few transactions
 * per second.
 */
export function createSharedAppends(store: TurnStore) {
  const waiting: Waiting[] = []
  let writing = false
  const write = async () => {
    writing = true
    // Many runs add events in the same tick.
    await nextTick()
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxLines)
      const written = await store.appendToRuns(batch.map(({ line }) => line)).catch(() => undefined)
      for (const { line, resolve } of batch) resolve(written?.has(line.id))
      await delay(pauseMs)
    }
    writing = false
  }
  return {
    /**
     * Adds the events of one run to the next batch. It never throws.
     * @returns true if committed; false if nothing was written, because the row has other counts or is locked;
     *   undefined if unknown.
     */
    append({ id, accountId, epoch, eventCount, stepCount }: RunPosition, events: readonly RunEvent[]) {
      const { promise, resolve } = Promise.withResolvers<boolean | undefined>()
      const line = { id, accountId, epoch, eventCount, stepCount, events }
      waiting.push({ line, resolve })
      if (!writing) void write()
      return promise
    },
  }
}
