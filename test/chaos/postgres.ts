import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type EmbeddedServer, openEmbedded } from '../../src/db/embedded/server.ts'

/**
 * The harness kills processes, not the machine: written data stays in the system's cache, so fsync would test
 * nothing.
 */
const settings = ['fsync=off', 'max_connections=250']

/** The harness's own Postgres. It has another port after a crash, so its values are getters. */
export type ChaosPostgres = {
  readonly port: () => number
  /** URL with the database role of the service. */
  readonly url: () => string
  readonly password: string
  /**
   * Terminates one connection of the service, chosen by a number from 0 to 1.
   * @returns whether there was one.
   */
  terminateBackend(choice: number): Promise<boolean>
  /** Stops at once, like a crash, and starts again after `downMs`. */
  crash(downMs: number): Promise<void>
  stop(): Promise<void>
}

export async function startPostgres(directory: string): Promise<ChaosPostgres> {
  // Ends the server however this process ends.
  process.once('exit', () => stopAtOnce(directory))
  let server: EmbeddedServer = await openEmbedded(directory, settings)

  return {
    port: () => Number(new URL(server.url).port),
    url: () => server.url,
    password: new URL(server.url).password,
    terminateBackend: (choice) => terminateOne(server.adminUrl, choice),
    async crash(downMs) {
      const pid = stopAtOnce(directory)
      for (let waited = 0; pid !== undefined && isAlive(pid); waited += 1) {
        if (waited > 600) throw new Error('Postgres does not stop')
        await delay(50)
      }
      await delay(downMs)
      server = await openEmbedded(directory, settings)
    },
    stop: () => server.release(),
  }
}

/** @returns the process that was stopped; undefined when none runs: a stopped server removes its pid file. */
function stopAtOnce(directory: string): number | undefined {
  try {
    const text = readFileSync(path.join(directory, 'postgres', 'postmaster.pid'), 'utf8')
    const pid = Number(text.split('\n')[0])
    process.kill(pid, 'SIGQUIT')
    return pid
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function terminateOne(adminUrl: string, choice: number): Promise<boolean> {
  const admin = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 2_000 })
  admin.on('error', () => undefined)
  try {
    await admin.connect()
    const { rows } = await admin.query<{ pid: number }>(
      `select pid from pg_stat_activity where usename = 'service' order by backend_start, pid`,
    )
    const chosen = rows[Math.floor(choice * rows.length)]
    if (!chosen) return false
    await admin.query('select pg_terminate_backend($1)', [chosen.pid])
    return true
  } catch {
    // It is down just now.
    return false
  } finally {
    await admin.end().catch(() => undefined)
  }
}
