import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { ConfigError } from '../../config.ts'
import { messageOf } from '../../errors.ts'
import { type Cluster, initialise, tellingLines } from './cluster.ts'
import { join, leave, reserve } from './membership.ts'
import { findPrograms, postgresIdentity, runnerFor } from './programs.ts'
import { keepRunning, type RevivalEvent } from './revival.ts'
import { installationSecrets } from './secrets.ts'
import { adoptOrStart } from './start.ts'

/** Held while the database of the service is created. */
const databaseLock = 7_203_115_003n

export type EmbeddedServer = {
  /** Connects as the role `service`, which owns the database `service` and is not a superuser. */
  readonly url: string
  /** Connects as the superuser, to the database `postgres`. */
  readonly adminUrl: string
  /**
   * Reserves the data folder for one service, until `release` or the end of this process, even after a kill. Called
   * before `keepRunning`, which keeps the reservation.
   * @returns whether it is reserved: false if another service has it.
   */
  reserve(): Promise<boolean>
  /** Starts the server again, at the same address, whenever it ends before `release`. */
  keepRunning(report: (event: RevivalEvent) => void): void
  /** Leaves the server. The last process to leave stops it. */
  release(): Promise<void>
}

/**
 * Starts the Postgres under `dataDir` and creates its cluster if there is none. A server that is already
 * running there is used as it is.
 * @throws ConfigError if the folder or the platform cannot be used.
 */
export async function openEmbedded(
  dataDir: string,
  settings: readonly string[] = [],
): Promise<EmbeddedServer> {
  const directory = path.resolve(dataDir)
  const { postgresPassword: password } = await installationSecrets(directory)
  const programs = await findPrograms()
  const identity = await postgresIdentity()
  const run = await runnerFor(identity, programs, directory)
  const data = path.join(directory, 'postgres')
  const cluster = { directory, data, programs, identity, run, settings, password }
  if (!existsSync(data)) await initialise(cluster)
  else if (!existsSync(path.join(data, 'PG_VERSION')))
    throw new ConfigError(
      `${data} is no Postgres cluster: it has no PG_VERSION. Restore the data folder from a backup, or set DATA_DIR to a new one.`,
    )
  const { port, membership } = await joinRunning(cluster)
  const release = async (last: pg.Client): Promise<void> => {
    if (await leave(last)) await stopServer(cluster)
  }
  try {
    await ensureDatabase(membership, password)
  } catch (error) {
    await release(membership)
    throw error
  }
  let kept: ReturnType<typeof keepRunning> | undefined
  let reserved = false
  return {
    url: `postgres://service:${encodeURIComponent(password)}@127.0.0.1:${port}/service`,
    adminUrl: adminUrlOf(port, password),
    async reserve() {
      reserved = await reserve(membership)
      return reserved
    },
    keepRunning(report) {
      kept ??= keepRunning(membership, () => rejoin(cluster, port, reserved), report)
    },
    release: async () => release((await kept?.stop()) ?? membership),
  }
}

const stopServer = ({ run, programs, data }: Cluster) =>
  run(programs.pg_ctl, ['stop', '-D', data, '-m', 'fast', '-w'])

/** SQLSTATE of a wrong password. */
const invalidPassword = '28P01'

/**
 * Uses the running server or starts one, and registers this process as a user. It retries, because other
 * processes start and stop the server too, and a killed one needs time to disappear.
 */
async function joinRunning(
  cluster: Cluster,
): Promise<{ readonly port: number; readonly membership: pg.Client }> {
  let reason = ''
  for (let round = 1; round <= 8; round += 1) {
    const { port, started, output } = await adoptOrStart(cluster)
    try {
      if (port !== undefined) return { port, membership: await join(adminUrlOf(port, cluster.password)) }
      reason = output
    } catch (error) {
      reason = messageOf(error)
      if (started) await stopServer(cluster)
      if ((error as { code?: string }).code === invalidPassword)
        throw new ConfigError(
          `The secrets.json in ${cluster.directory} does not fit the data beside it. Restore both from the same backup. (${reason})`,
        )
    }
    await delay(round * 100)
  }
  const logFile = path.join(cluster.directory, 'postgres.log')
  const told = tellingLines(await readFile(logFile, 'utf8').catch(() => ''))
  throw new ConfigError(
    `The embedded Postgres in ${cluster.directory} does not start: ${reason} From ${logFile}: ${told}`,
  )
}

/**
 * @throws Error if the server does not start on the port that the pools of this process have in their address, or if
 *   another service has reserved the data folder meanwhile.
 */
async function rejoin(cluster: Cluster, port: number, reserved: boolean): Promise<pg.Client> {
  const joined = await joinRunning(cluster)
  const moved = joined.port !== port
  if (!moved && (!reserved || (await reserve(joined.membership)))) return joined.membership
  await joined.membership.end()
  throw new Error(
    moved
      ? `Another program has taken port ${port}, so it runs on ${joined.port}. Restart the service.`
      : `Another service uses the data folder ${cluster.directory}. Stop one of them.`,
  )
}

function adminUrlOf(port: number, password: string): string {
  return `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`
}

async function ensureDatabase(admin: pg.Client, password: string): Promise<void> {
  await admin.query('select pg_advisory_lock($1)', [databaseLock])
  const found = await admin.query(`select 1 from pg_database where datname = 'service'`)
  if (found.rowCount === 0) {
    const role = await admin.query(`select 1 from pg_roles where rolname = 'service'`)
    if (role.rowCount === 0) {
      await admin.query(`create role service login password ${admin.escapeLiteral(password)}`)
    }
    await admin.query('create database service owner service')
  }
  await admin.query('select pg_advisory_unlock($1)', [databaseLock])
}
