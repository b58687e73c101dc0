import type { Database } from '../../db/client.ts'
import type { Logger } from '../../log.ts'
import { ClientConnections } from './client-connections.ts'
import { type ClientInquiry, openClientInquiry } from './client-inquiry.ts'
import { createOutageLog } from './outage-log.ts'
import { keepPresence, type Presence, presenceSession } from './presence.ts'
import { openSignals, type Signals } from './signals.ts'

/** This process as one of the replicas: its signals, its clients, and its questions to other replicas. */
export type Replica = Pick<Presence, 'clientsAt' | 'seen'> & {
  readonly signals: Signals
  /** The clients that wait here for a run, on whichever replica it runs. */
  readonly clients: ClientConnections
  /** Asks other replicas about their clients. */
  readonly inquiry: ClientInquiry
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
    clientsAt: presence.clientsAt,
    seen: presence.seen,
    async close() {
      await presence.stop()
      inquiry.close()
      await signals.close()
    },
  }
}
