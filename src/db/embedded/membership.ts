import pg from 'pg'

/**
 * Every process that uses the server holds this lock in shared mode. A process that gets it exclusively is the
 * last one.
 */
const usersLock = 7_203_115_002n

/** The one service of a data folder holds this lock. */
const serviceLock = 7_203_115_010n

/** Connects, and registers this process as a user of the server for as long as the connection is open. */
export async function join(adminUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 })
  // An operator may stop the server. The next query elsewhere reports it.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('select pg_advisory_lock_shared($1)', [usersLock])
  return client
}

/**
 * @returns whether no other process uses the server. The exclusive lock keeps new users out until the server stops.
 */
export async function leave(membership: pg.Client): Promise<boolean> {
  try {
    await membership.query('select pg_advisory_unlock_shared($1)', [usersLock])
    if (await tryLock(membership, usersLock)) return true
    await membership.end()
    return false
  } catch {
    return false
  }
}

/** @returns whether the data folder is now reserved for this connection: false if another service has it. */
export const reserve = (membership: pg.Client): Promise<boolean> => tryLock(membership, serviceLock)

async function tryLock(connection: pg.Client, lock: bigint): Promise<boolean> {
  const { rows } = await connection.query<{ ok: boolean }>('select pg_try_advisory_lock($1) as ok', [lock])
  return rows[0]?.ok ?? false
}
