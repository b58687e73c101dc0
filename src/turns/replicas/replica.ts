import type { Database } from '../../db/client.ts'
import type { Logger } from '../../log.ts'
import { ClientConnections } from './client-connections.ts'
import { openClientInquiry } from './client-inquiry.ts'
import { createOutageLog } from './outage-log.ts'
import { keepPresence, presenceSession } from './presence.ts'
import { openSignals } from './signals.ts'

export type Replica = ReturnType<typeof openReplica>

/** This process as one of the replicas: its signals, its clients, and its questions to other replicas. */
export function openReplica(database: Database, name: string, log: Logger) {
  /** The clients that wait here for a run, on whichever replica it runs. */
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
