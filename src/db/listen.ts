import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/** One connection that hears a channel for as long as the process lives. */
export type Listener = {
  /** Whether notifications arrive at the moment; while not, whoever waits has to look for himself. */
  readonly connected: () => boolean
  close(): Promise<void>
}

const retryMs = 1_000
/** A dead peer is noticed by this many seconds of silence on the connection. */
const keepAliveDelayMs = 10_000

/**
 * Listens on `channel` and connects again whenever the connection is lost. Notifications of the time between are
 * gone: they are a reason to look, never the news itself. Needs a direct connection or a session pooler.
 */
export function openListener(
  url: string,
  channel: string,
  onPayload: (payload: string) => void,
  onLost: (error: Error) => void,
): Listener {
  const closing = new AbortController()
  let current: pg.Client | undefined
  let connected = false

  const listenOnce = async () => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
      application_name: 'agent-chat-service-listener',
    })
    current = client
    const ended = new Promise<Error>((resolve) => {
      client.on('error', resolve)
      client.on('end', () => resolve(new Error('the connection ended')))
    })
    client.on('notification', ({ payload }) => onPayload(payload ?? ''))
    try {
      await client.connect()
      await client.query(`listen ${client.escapeIdentifier(channel)}`)
      connected = true
      throw await ended
    } finally {
      connected = false
      await client.end().catch(() => undefined)
    }
  }

  const done = (async () => {
    while (!closing.signal.aborted) {
      await listenOnce().catch((error: Error) => {
        if (!closing.signal.aborted) onLost(error)
      })
      await delay(retryMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  })()

  return {
    connected: () => connected,
    async close() {
      closing.abort()
      await current?.end().catch(() => undefined)
      await done
    },
  }
}
