import { sql } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { type Listener, openListener } from '../db/listen.ts'
import type { Logger } from '../log.ts'
import { createOutageLog, type OutageLog } from './outage-log.ts'

/**
 * What replicas tell one another: that a run has new committed events, that it is to be stopped, or that a run may
 * be free to be claimed. A signal is only a reason to look at the database, so a lost one costs time and nothing else.
 */
export type Signal = { readonly kind: 'events' | 'cancel' | 'claim'; readonly runId: string }

export type Signals = {
  /** Tells every replica, this one included. Signals of some milliseconds travel together. */
  send(signal: Signal): void
  /** Calls `heard` for every signal until the returned function is called. */
  subscribe(heard: (signal: Signal) => void): () => void
  /** Resolves with the next `events` signal of the run, after `ms`, or when aborted. */
  waitForEvents(runId: string, ms: number, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

const channel = 'run_signals'
/** A commit that notifies takes a lock over all of them: one notification a tick, not one a commit. */
const tickMs = 30
/** Postgres refuses payloads of 8,000 bytes. */
const mostLength = 7_500

const letters = { events: 'e', cancel: 'c', claim: 'q' } as const
const kinds = new Map<string, Signal['kind']>([
  ['e', 'events'],
  ['c', 'cancel'],
  ['q', 'claim'],
])

/** Sends signals with the caller's transaction: replicas hear them when it commits. For processes that drive no runs. */
export async function sendSignals(executor: Executor, signals: readonly Signal[]): Promise<void> {
  const texts = new Set(signals.map(({ kind, runId }) => letters[kind] + runId))
  for (const payload of packed(texts)) await executor.execute(sql`select pg_notify(${channel}, ${payload})`)
}

/**
 * Lost connections and failed sends are logged; whoever waits goes on polling meanwhile, and is woken once when the
 * connection is back, because what was said in between is gone.
 */
export function openSignals(executor: Executor, url: string, log: Logger): Signals {
  const hearing = createOutageLog(log, 'hearing the signals of other replicas')
  const telling = createOutageLog(log, 'telling other replicas')
  const subscribers = new Set<(signal: Signal) => void>()
  const waiting = new Map<string, Set<() => void>>()
  const wake = (runId: string) => {
    for (const waiter of waiting.get(runId) ?? []) waiter()
  }
  const listener: Listener = openListener(url, channel, {
    onPayload(payload) {
      for (const signal of parsed(payload)) {
        if (signal.kind === 'events') wake(signal.runId)
        for (const heard of subscribers) heard(signal)
      }
    },
    onConnected() {
      hearing.works()
      for (const runId of waiting.keys()) wake(runId)
    },
    onLost: hearing.failed,
  })
  const line = createLine(executor, telling)

  return {
    send: ({ kind, runId }) => line.add(letters[kind] + runId),
    subscribe(heard) {
      subscribers.add(heard)
      return () => subscribers.delete(heard)
    },
    waitForEvents: (runId, ms, signal) => waitFor(waiting, runId, ms, signal),
    async close() {
      await line.close()
      await listener.close()
    },
  }
}

/**
 * Signals that wait to be sent, each once. While a send is under way, the others wait in the set: a database that does
 * not answer must not leave a queue of stale ones behind.
 */
function createLine(executor: Executor, outage: OutageLog) {
  const line = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let closed = false

  const send = async () => {
    const payloads = packed(line)
    line.clear()
    try {
      for (const payload of payloads) await executor.execute(sql`select pg_notify(${channel}, ${payload})`)
      outage.works()
    } catch (error) {
      outage.failed(error)
    }
  }
  const flush = () => {
    timer = undefined
    sending = send().then(() => {
      sending = undefined
      if (line.size > 0 && !closed) schedule()
    })
  }
  const schedule = () => {
    timer ??= setTimeout(flush, tickMs)
  }

  return {
    add(text: string): void {
      if (closed) return
      line.add(text)
      if (!sending) schedule()
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await sending
      if (line.size > 0) await send()
    },
  }
}

function parsed(payload: string): readonly Signal[] {
  return payload.split(' ').flatMap((text) => {
    const kind = kinds.get(text.charAt(0))
    return kind ? [{ kind, runId: text.slice(1) }] : []
  })
}

function packed(texts: ReadonlySet<string>): readonly string[] {
  const payloads: string[] = []
  for (const text of texts) {
    const last = payloads.at(-1)
    if (last !== undefined && last.length + text.length < mostLength)
      payloads[payloads.length - 1] = `${last} ${text}`
    else payloads.push(text)
  }
  return payloads
}

function waitFor(
  waiting: Map<string, Set<() => void>>,
  runId: string,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const those = waiting.get(runId) ?? new Set()
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      those.delete(wake)
      if (those.size === 0) waiting.delete(runId)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    signal.addEventListener('abort', wake)
    those.add(wake)
    waiting.set(runId, those)
    if (signal.aborted) wake()
  })
}
