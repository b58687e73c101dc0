import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { totalmem } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { ConfigError } from '../config.ts'
import { messageOf } from '../errors.ts'
import {
  findPrograms,
  type Identity,
  type Programs,
  postgresIdentity,
  type Run,
  runnerFor,
} from './embedded-programs.ts'
import { keepRunning, type RevivalEvent } from './embedded-revival.ts'
import { tellingLines } from './telling-lines.ts'

export type EmbeddedServer = {
  /** Connects as the role `service`, which owns the database `service` and is not a superuser. */
  readonly url: string
  /** Connects as the superuser, to the database `postgres`. */
  readonly adminUrl: string
  /** Starts the server again, at the same address, whenever it ends before `release`. */
  keepRunning(report: (event: RevivalEvent) => void): void
  /** Leaves the server. The last process to leave stops it. */
  release(): Promise<void>
}

/** Secrets of an embedded installation, stored next to its data and readable only by their owner. */
export type InstallationSecrets = { readonly postgresPassword: string; readonly keyPepper: string }

/**
 * Every process that uses the server holds this lock in shared mode. A process that gets it exclusively is the
 * last one.
 */
const usersLock = 7_203_115_002n

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
  if (!existsSync(path.join(data, 'PG_VERSION'))) await initialise(cluster)
  const { port, membership } = await joinRunning(cluster)
  await ensureDatabase(membership, password)
  let kept: ReturnType<typeof keepRunning> | undefined
  return {
    url: `postgres://service:${encodeURIComponent(password)}@127.0.0.1:${port}/service`,
    adminUrl: adminUrlOf(port, password),
    keepRunning(report) {
      kept ??= keepRunning(membership, () => rejoin(cluster, port), report)
    },
    async release() {
      const last = await leave((await kept?.stop()) ?? membership)
      if (last) await run(programs.pg_ctl, ['stop', '-D', data, '-m', 'fast', '-w'])
    },
  }
}

/**
 * Reads the secrets of the installation and creates them on first use.
 * @throws ConfigError if the folder cannot be used.
 */
export async function installationSecrets(dataDir: string): Promise<InstallationSecrets> {
  const directory = path.resolve(dataDir)
  const file = path.join(directory, 'secrets.json')
  try {
    // Other users may traverse the folder to reach the cluster, which Postgres itself keeps private.
    const mode = 0o711
    // On a read-only file system a recursive call fails with ENOENT, a plain one with the reason.
    await mkdir(directory, { recursive: true, mode }).catch(() => mkdir(directory, { mode }))
    if (!existsSync(file)) await makeSecrets(file)
    return JSON.parse(await readFile(file, 'utf8')) as InstallationSecrets
  } catch (error) {
    throw new ConfigError(
      `The data folder ${directory} cannot be used. Choose another with DATA_DIR, or change its permissions. (${messageOf(error)})`,
    )
  }
}

/**
 * Creates the file atomically by linking a complete draft, even if two processes start at once or one is
 * killed.
 */
async function makeSecrets(file: string): Promise<void> {
  const made: InstallationSecrets = {
    postgresPassword: randomBytes(24).toString('hex'),
    keyPepper: randomBytes(32).toString('hex'),
  }
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, JSON.stringify(made, null, 2), { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
}

type Cluster = {
  /** The data folder, and the folder of the cluster in it. */
  readonly directory: string
  readonly data: string
  readonly programs: Programs
  readonly identity: Identity | undefined
  readonly run: Run
  readonly settings: readonly string[]
  readonly password: string
}

/**
 * Creates the cluster under another name and renames it when it is complete, so a kill leaves no partial
 * cluster.
 */
async function initialise({ directory, data, programs, identity, run, password }: Cluster): Promise<void> {
  const fresh = path.join(directory, 'postgres.new')
  const passwordFile = path.join(directory, 'postgres.pw')
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  await writeFile(path.join(directory, 'postgres.log'), '', { flag: 'a', mode: 0o600 })
  if (identity) {
    for (const p of [fresh, passwordFile, path.join(directory, 'postgres.log')]) {
      await chown(p, identity.uid, identity.gid)
    }
  }
  const made = await run(programs.initdb, [
    `--pgdata=${fresh}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
  ])
  await rm(passwordFile, { force: true })
  if (made.code !== 0) {
    throw new ConfigError(
      `The embedded Postgres could not be created in ${directory}: ${tellingLines(made.output)}`,
    )
  }
  await rename(fresh, data)
}

/**
 * Uses the running server or starts one, and registers this process as a user. It retries, because other
 * processes start and stop the server too, and a killed one needs time to disappear.
 */
async function joinRunning(
  cluster: Cluster,
): Promise<{ readonly port: number; readonly membership: pg.Client }> {
  let reason = ''
  for (let round = 1; round <= 8; round += 1) {
    const { port, output } = await adoptOrStart(cluster)
    try {
      if (port !== undefined) return { port, membership: await join(adminUrlOf(port, cluster.password)) }
      reason = output
    } catch (error) {
      reason = messageOf(error)
    }
    await delay(round * 100)
  }
  const logFile = path.join(cluster.directory, 'postgres.log')
  const told = tellingLines(await readFile(logFile, 'utf8').catch(() => ''))
  throw new ConfigError(
    `The embedded Postgres in ${cluster.directory} does not start: ${reason} From ${logFile}: ${told}`,
  )
}

/** @throws Error if the server does not start on the port that the pools of this process have in their address. */
async function rejoin(cluster: Cluster, port: number): Promise<pg.Client> {
  const joined = await joinRunning(cluster)
  if (joined.port === port) return joined.membership
  await joined.membership.end()
  throw new Error(
    `Another program has taken port ${port}, so it runs on ${joined.port}. Restart the service.`,
  )
}

function adminUrlOf(port: number, password: string): string {
  return `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`
}

const minBuffersMb = 128

/**
 * A quarter of the memory, as the Postgres manual advises (20.4.1), at most 1 GB: that holds the search index
 * of a million passages. Only pages that are read use memory.
 */
function sharedBuffersMb(): number {
  const memoryMb = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 1_048_576
  return Math.max(minBuffersMb, Math.min(1_024, Math.floor(memoryMb / 4)))
}

/** The port of the running server, or the reason why there is none. */
async function adoptOrStart(cluster: Cluster): Promise<{ readonly port?: number; readonly output: string }> {
  const { run, programs, directory, data, settings } = cluster
  if ((await run(programs.pg_ctl, ['status', '-D', data])).code === 0) {
    const running = await adoptable(data)
    if (running !== undefined) return { port: running, output: '' }
    await disown(data)
  }
  const port = await freePort(await lastPort(data))
  const options = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
    'jit=off',
    ...settings,
  ]
  const start = (buffersMb: number) => {
    const given = [`shared_buffers=${buffersMb}MB`, ...options].map((setting) => `-c ${setting}`).join(' ')
    const logFile = path.join(directory, 'postgres.log')
    return run(programs.pg_ctl, ['start', '-D', data, '-l', logFile, '-w', '-t', '120', '-o', given])
  }
  let started = await start(sharedBuffersMb())
  // Some environments do not allow a process to reserve memory that it does not use yet.
  if (started.code !== 0) started = await start(minBuffersMb)
  return started.code === 0 ? { port, output: '' } : { output: started.output.replaceAll('\n', ' ') }
}

/** Port of the server in `postmaster.pid`, once it is ready. Undefined if that process has ended. */
async function adoptable(data: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const lines = (await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
    const [pid, port] = [lines[0]?.trim(), Number(lines[3])]
    if (pid && process.platform === 'linux') {
      // After a reboot the id may belong to another program. A killed process that was not reaped is a zombie.
      const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
      if (!/\(postgres\) [^ZX]/.test(state)) return undefined
    }
    if (port > 0 && lines[7]?.trim() === 'ready') return port
    await delay(100)
  }
  return undefined
}

/**
 * Makes a stale `postmaster.pid` harmless if its process has ended but its id is in use. The file stays, with
 * an impossible id: Postgres reads the shared memory key from it and refuses to start while processes of the
 * old server still use the data.
 */
async function disown(data: string): Promise<void> {
  const file = path.join(data, 'postmaster.pid')
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text !== undefined) await writeFile(file, text.replace(/^\d+/, '2147483646'))
}

/** The port of the last start. Processes that outlived the server still have it in their address. */
async function lastPort(data: string): Promise<number> {
  const options = await readFile(path.join(data, 'postmaster.opts'), 'utf8').catch(() => '')
  return Number(/\bport=(\d+)/.exec(options)?.[1] ?? 0)
}

/** The wanted port if it is free, otherwise any. */
async function freePort(wanted: number): Promise<number> {
  const probe = createServer().listen(wanted, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch (error) {
    if (wanted === 0) throw error
    return freePort(0)
  }
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

async function join(adminUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 })
  // An operator may stop the server. The next query elsewhere reports it.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('select pg_advisory_lock_shared($1)', [usersLock])
  return client
}

/** Whether no other process uses the server. The exclusive lock keeps new users out until the server stops. */
async function leave(membership: pg.Client): Promise<boolean> {
  try {
    await membership.query('select pg_advisory_unlock_shared($1)', [usersLock])
    const alone = await membership.query<{ ok: boolean }>('select pg_try_advisory_lock($1) as ok', [
      usersLock,
    ])
    if (alone.rows[0]?.ok) return true
    await membership.end()
    return false
  } catch {
    return false
  }
}

async function ensureDatabase(admin: pg.Client, password: string): Promise<void> {
  await admin.query('select pg_advisory_lock($1)', [usersLock + 1n])
  const found = await admin.query(`select 1 from pg_database where datname = 'service'`)
  if (found.rowCount === 0) {
    const role = await admin.query(`select 1 from pg_roles where rolname = 'service'`)
    if (role.rowCount === 0) {
      await admin.query(`create role service login password ${admin.escapeLiteral(password)}`)
    }
    await admin.query('create database service owner service')
  }
  await admin.query('select pg_advisory_unlock($1)', [usersLock + 1n])
}
