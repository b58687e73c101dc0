import type { Database } from '../../db/client.ts'
import type { Logger } from '../../log.ts'
import { ClientConnections } from './client-connections.ts'
import { type ClientInquiry, openClientInquiry } from './client-inquiry.ts'
import { createOutageLog } from './outage-log.ts'
import { keepPresence, presenceSession } from './presence.ts'
import { openSignals, type Signals } from './signals.ts'

/** This process among the replicas: what it tells them, what it hears, and what each knows of its clients. */
export type Replica = {
  readonly signals: Signals
  /** The clients that wait here for a run, whoever drives it. */
  readonly clients: ClientConnections
  /** What other replicas say of theirs. */
  readonly inquiry: ClientInquiry
  /** The name under which this process holds clients; null until the others can see that it lives. */
  readonly clientsAt: () => string | null
  /** Resolves when there is that name: before it, no request should be taken. */
  readonly seen: Promise<void>
  close(): Promise<void>
}

export function openReplica(database: Database, name: string, log: Logger): Replica {
  const clients = new ClientConnections()
  const signals = openSignals(database.system, database.url, log, {
    session: presenceSession(name),
    onChange: () => presence.changed(),
  })
  const presence = keepPresence(database, {
    replica: name,
    locked: signals.listening,
    unsettledMs: () => clients.unsettledMs(),
    outage: createOutageLog(log, 'telling other replicas that this one lives'),
  })
  const inquiry = openClientInquiry(database.system, name, signals, clients)
  return {
    signals,
    clients,
    inquiry,
    clientsAt: presence.name,
    seen: presence.seen,
    async close() {
      await presence.stop()
      inquiry.close()
      await signals.close()
    },
  }
}
