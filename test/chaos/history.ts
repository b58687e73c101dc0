import { createWriteStream } from 'node:fs'
import type { ModelCall } from './model.ts'
import type { Intent } from './plan.ts'
import type { Exit } from './replica.ts'
import type { Reply, RunStatus } from './replies.ts'

export type Phase = 'storm' | 'calm' | 'rolling' | 'rest' | 'end'

export type FaultKind =
  | 'kill'
  | 'aimed kill'
  | 'freeze'
  | 'sigterm'
  | 'backend terminated'
  | 'client wires cut'
  | 'client wires half-closed'
  | 'client wires stalled'
  | 'client wires slow'
  | 'database wires cut'
  | 'database wires stalled'
  | 'database wires refused'
  | 'postgres crash'

/** The outcome of an intent for its client. */
export type Closing = 'answered' | 'ended' | 'refused' | 'left' | 'gave up'

export type SeenEvent = { readonly seq: number; readonly body: Readonly<Record<string, unknown>> }

/**
 * All actions and observations, in the order of this process's clock. An attempt is `sent`, and later `ok`
 * (the reply is complete), `fail` (refused, without effect) or `unknown`.
 */
export type Entry =
  | { readonly type: 'phase'; readonly phase: Phase }
  | { readonly type: 'intent'; readonly intent: Intent; readonly sessionId?: string }
  | { readonly type: 'sent'; readonly intent: string; readonly attempt: number; readonly replica: string }
  | ({ readonly type: 'ok' | 'fail' | 'unknown'; readonly replica: string } & Tried)
  | { readonly type: 'closed'; readonly intent: string; readonly how: Closing }
  | { readonly type: 'cancel'; readonly intent: string; readonly runId: string; readonly done: boolean }
  | ({ readonly type: 'run seen'; readonly intent: string } & RunSeen)
  | ({ readonly type: 'events'; readonly intent: string } & EventsSeen)
  | { readonly type: 'fault'; readonly fault: FaultKind; readonly on: string; readonly detail?: number }
  | ({ readonly type: 'exit' } & Omit<Exit, 'at'>)
  | ({ readonly type: 'model call' } & Omit<ModelCall, 'at'>)

export type Tried = {
  readonly intent: string
  readonly attempt: number
  readonly sentAt: number
  readonly reply: Reply
}

/** A run as `GET /v1/agent/runs/{id}` returns it after its end. */
export type RunSeen = {
  readonly runId: string
  readonly status: RunStatus
  readonly text: string
  readonly credits: string
}

/** One connection to `/events`. */
export type EventsSeen = {
  readonly runId: string
  readonly after: number
  readonly events: readonly SeenEvent[]
}

export type Recorded = Entry & { readonly at: number }

export type History = {
  readonly entries: readonly Recorded[]
  record(entry: Entry): void
  close(): Promise<void>
}

/** Keeps the history in memory for the checker, and writes it to a file of JSON lines for people. */
export function openHistory(file: string): History {
  const entries: Recorded[] = []
  const lines = createWriteStream(file)
  return {
    entries,
    record(entry) {
      const recorded = { at: Date.now(), ...entry }
      entries.push(recorded)
      lines.write(`${JSON.stringify(recorded)}\n`)
    },
    close: () => new Promise((resolve) => lines.end(() => resolve())),
  }
}
