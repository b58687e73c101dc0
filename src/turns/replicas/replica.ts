import type { Database } from '../../db/client.ts'
import type { Logger } from '../../log.ts'
import { ClientConnections } from './client-connections.ts'
import { createOutageLog } from './outage-log.ts'
import { keepPresence, presenceSession } from './presence.ts'
import { openSignals } from './signals.ts'

export type Replica = ReturnType<typeof openReplica>

/** This process as one of the replicas: its signals and its clients. */
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
    outage: createOutageLog(log, 'telling other replicas that this one lives'),
  })
  return {
    signals,
    clients,
    clientsAt: presence.clientsAt,
    seen: presence.seen,
    async close() {
      await presence.stop()
      await signals.close()
    },
  }
}
