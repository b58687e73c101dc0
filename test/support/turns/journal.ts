import { defaultPrice } from '../../../src/billing/pricing.ts'
import type { Database } from '../../../src/db/client.ts'
import type { LiveRun } from '../../../src/turns/drive/live-runs.ts'
import { RunJournal } from '../../../src/turns/record/journal.ts'
import { createSharedAppends } from '../../../src/turns/record/shared-appends.ts'
import { createTurnStore } from '../../../src/turns/record/turn-store.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import type { RunEvent, TerminalEvent } from '../../../src/turns/run/run-events.ts'

/** The terminal event of a cancelled run without text. */
export const emptyEnd = (cost: bigint): TerminalEvent => ({
  type: 'run.cancelled',
  end: {
    text: '',
    source_list: '',
    sources: [],
    citations: [],
    unknown_marks: 0,
    unknown_refs: [],
    quotations: [],
    files: [],
    tool_calls: [],
    usage: {
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
      model_calls: 0,
      tool_calls: 0,
      estimated: false,
      cost_micros: cost.toString(),
    },
  },
})

/** Ends the run of a journal, as the recorder does. */
export async function endWith(
  journal: RunJournal,
  end: (costMicros: bigint) => TerminalEvent = emptyEnd,
): Promise<void> {
  await journal.finish(end(await journal.finalCost()))
}

/** The journal of a new attempt, without running the attempt. */
export function journalOf(
  database: Database,
  run: Run,
  onFault: (fault: unknown) => void = () => undefined,
): RunJournal {
  const store = createTurnStore(database)
  return new RunJournal(run, {
    price: defaultPrice,
    costMicros: 0n,
    store,
    appends: createSharedAppends(store),
    leave: new AbortController().signal,
    onCommit: () => undefined,
    onFault,
  })
}

/** Events that a run's live readers receive: up to its end, until it is given up, or for `maxMs`. */
export async function saidIn(live: LiveRun, maxMs: number): Promise<readonly RunEvent[]> {
  const said: RunEvent[] = []
  await live.read(AbortSignal.timeout(maxMs), (batch) => {
    said.push(...batch)
    return false
  })
  return said
}

/** Ends a run as its owner would, without driving it. */
export async function endRun(database: Database, run: Run): Promise<void> {
  const journal = journalOf(database, run)
  await endWith(journal)
  await journal.close()
}
