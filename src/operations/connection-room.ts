import type { Database } from '../db/client.ts'
import type { Logger } from '../log.ts'

/** The most connections of one process with its verifications, see "What a process takes" in `docs/many-machines.md`. */
export const connectionsPerProcess = 24

/**
 * Warns if Postgres allows fewer connections than one process can use. Without it the service starts and answers, and
 * fails only under load.
 */
export async function warnOfFewConnections({ systemPool }: Database, log: Logger): Promise<void> {
  const { rows } = await systemPool.query<{ allowed: number }>(
    `select least(
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true)::int, 0),
       nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) as allowed
     from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
  )
  const allowed = rows[0]?.allowed ?? connectionsPerProcess
  if (allowed >= connectionsPerProcess) return
  log.warn(
    { allowed, used: connectionsPerProcess },
    'Postgres allows fewer connections than this process can use, so requests will fail under load: raise max_connections',
  )
}
