import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/** One connection that hears a channel for as long as the process lives. */
export type Listener = { close(): Promise<void> }

export type ListenerOptions = {
  /** A statement that each new connection begins with: what its session is to hold for as long as it lasts. */
  readonly session?: { readonly text: string; readonly values: readonly unknown[] }
  onPayload(payload: string): void
  /** From now on notifications arrive; those of the time before, since the last connection was lost, are gone. */
  onConnected(): void
  /** No notification arrives until `onConnected`. Called for each attempt to connect that failed, too. */
  onLost(error: Error): void
}

const firstRetryMs = 100
const longestRetryMs = 1_000
/** Asked this often whether the connection still lives, and given up when there is no answer by the next time. */
const pingMs = 5_000
const goodbyeMs = 1_000

/**
 * Listens on `channel` and connects again within about a second whenever the connection is lost. Notifications of the
 * time between are gone: they are a reason to look, never the news itself. Needs a direct connection or a session pooler.
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
      application_name: 'agent-chat-service-listener',
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
      // A host that is gone says nothing, and who only listens would never notice.
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
      // The goodbye to a host that is gone is never answered.
      await Promise.race([done, delay(goodbyeMs, undefined, { ref: false })])
    },
  }
}
