import { EventEmitter } from 'node:events'
import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { type Listener, type ListenerOptions, openListener } from '../../db/listen.ts'
import type { Logger } from '../../log.ts'
import { createOutageLog, type OutageLog } from './outage-log.ts'

/**
 * Signals between replicas: a run has new committed events, must be stopped, or may be claimable. A signal only
 * triggers a look at the database, so a lost one costs only time.
 */
export type Signal = { readonly kind: 'events' | 'cancel' | 'claim'; readonly runId: string }

export type Signals = ReturnType<typeof openSignals>

const channel = 'run_signals'
/**
 * A transaction that notifies takes a global lock at commit, so signals are sent once per tick instead of once
 * per commit.
 */
const tickMs = 30
/** Postgres refuses payloads of 8,000 bytes. */
const maxLength = 7_500

/** A replica ignores letters that it does not know. */
const letters = { events: 'e', cancel: 'c', claim: 'q' } as const
const kinds = new Map<string, Signal['kind']>(
  Object.entries(letters).map(([kind, letter]) => [letter, kind as Signal['kind']]),
)

/**
 * Sends signals in the caller's transaction, so that replicas receive them at its commit. For processes that
 * drive no runs.
 */
export async function sendSignals(executor: Executor, signals: readonly Signal[]): Promise<void> {
  const texts = new Set(signals.map(({ kind, runId }) => letters[kind] + runId))
  for (const payload of packed(texts)) await executor.execute(sql`select pg_notify(${channel}, ${payload})`)
}

/**
 * Opens the signals. Lost connections and failed sends are logged. Waiting readers keep polling, and are woken
 * once after a reconnect, because signals sent in between are lost.
 */
export function openSignals(
  executor: Executor,
  url: string,
  log: Logger,
  options: {
    readonly session?: ListenerOptions['session']
    /** Called when `listening()` changes. */
    readonly onChange?: () => void
  } = {},
) {
  const hearing = createOutageLog(log, 'hearing the signals of other replicas')
  const telling = createOutageLog(log, 'telling other replicas')
  const subscribers = new Set<(signal: Signal) => void>()
  /** Its events are named by runs. Many readers may wait for one. */
  const events = new EventEmitter().setMaxListeners(0)
  let listens = false
  const listener: Listener = openListener(url, channel, {
    ...(options.session && { session: options.session }),
    onPayload(payload) {
      for (const signal of parsed(payload)) {
        if (signal.kind === 'events') events.emit(signal.runId)
        for (const heard of subscribers) heard(signal)
      }
    },
    onConnected() {
      listens = true
      options.onChange?.()
      hearing.works()
      for (const runId of events.eventNames()) events.emit(runId)
    },
    onLost(error) {
      listens = false
      options.onChange?.()
      hearing.failed(error)
    },
  })
  const line = createLine(executor, telling)

  return {
    /** Whether signals arrive: the listening connection and its session state exist, as far as is known. */
    listening: () => listens,
    /** Sends a signal to every replica, this one included. Signals are batched for some milliseconds. */
    send: (signal: Signal) => line.add(letters[signal.kind] + signal.runId),
    /** Calls `heard` for every signal until the returned function is called. */
    subscribe(heard: (signal: Signal) => void): () => void {
      subscribers.add(heard)
      return () => subscribers.delete(heard)
    },
    /** Resolves with the next `events` signal of the run, after `ms`, or when aborted. */
    waitForEvents: (runId: string, ms: number, signal: AbortSignal) => waitFor(events, runId, ms, signal),
    async close() {
      await line.close()
      await listener.close()
    },
  }
}

/**
 * Queues signals for sending, without duplicates. While a send is in progress new ones stay in the set, so an
 * unresponsive database leaves no queue of stale signals.
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
    const rest = text.slice(1)
    return kind ? [{ kind, runId: rest }] : []
  })
}

function packed(texts: ReadonlySet<string>): readonly string[] {
  const payloads: string[] = []
  for (const text of texts) {
    const last = payloads.at(-1)
    if (last !== undefined && last.length + text.length < maxLength)
      payloads[payloads.length - 1] = `${last} ${text}`
    else payloads.push(text)
  }
  return payloads
}

function waitFor(events: EventEmitter, runId: string, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      events.off(runId, wake)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    signal.addEventListener('abort', wake)
    events.on(runId, wake)
    if (signal.aborted) wake()
  })
}
