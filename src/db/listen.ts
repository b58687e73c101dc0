import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { within } from '../waiting/waiting.ts'

/** A connection that listens on a channel until it is closed. */
export type Listener = { close(): Promise<void> }

export type ListenerOptions = {
  /** A statement at the start of each connection, for state that its session must hold. */
  readonly session?: { readonly text: string; readonly values: readonly unknown[] }
  onPayload(payload: string): void
  /** Notifications arrive from now on. Those since the last connection was lost are missing. */
  onConnected(): void
  /** No notification arrives until `onConnected`. Also called for each failed attempt to connect. */
  onLost(error: Error): void
}

const firstRetryMs = 100
const longestRetryMs = 1_000
/** Interval of the ping. A connection without an answer until the next ping is closed. */
const pingMs = 5_000
const goodbyeMs = 1_000

/**
 * Listens on `channel` and reconnects within about a second after a connection is lost. Notifications in
 * between are lost, so they may only trigger a look at the database. It needs a direct connection or a session
 * pooler.
 */
export function openListener(url: string, channel: string, options: ListenerOptions): Listener {
  const closing = new AbortController()
  let current: pg.Client | undefined

  const listenOnce = async (onConnected: () => void) => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 2_000,
      query_timeout: pingMs,
      keepAlive: true,
      application_name: 'meduyak-listener',
    })
    current = client
    const ended = new Promise<Error>((resolve) => {
      client.on('error', resolve)
      client.on('end', () => resolve(new Error('the connection ended')))
    })
    client.on('notification', ({ payload }) => options.onPayload(payload ?? ''))
    let pinging: NodeJS.Timeout | undefined
    try {
      await client.connect()
      if (options.session) await client.query(options.session.text, [...options.session.values])
      await client.query(`listen ${client.escapeIdentifier(channel)}`)
      onConnected()
      // A dead host sends nothing, so a connection that only listens would never notice.
      pinging = setInterval(() => {
        client.query('select 1').catch(() => client.end())
      }, pingMs)
      throw await ended
    } finally {
      clearInterval(pinging)
      await client.end().catch(() => undefined)
    }
  }

  const done = (async () => {
    let retryMs = firstRetryMs
    while (!closing.signal.aborted) {
      await listenOnce(() => {
        retryMs = firstRetryMs
        options.onConnected()
      }).catch((error: Error) => {
        if (!closing.signal.aborted) options.onLost(error)
      })
      await delay(retryMs, undefined, { signal: closing.signal }).catch(() => undefined)
      retryMs = Math.min(2 * retryMs, longestRetryMs)
    }
  })()

  return {
    async close() {
      closing.abort()
      current?.end().catch(() => undefined)
      // A dead host never answers the close.
      await within(done, goodbyeMs)
    },
  }
}
