import { rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { findPrograms, postgresIdentity, runnerFor } from '../../src/db/embedded/programs.ts'
import { openEmbedded } from '../../src/db/embedded/server.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { clusterSettings, makeClusterFolder } from './cluster-folder.ts'

/** A Postgres for one test file, which the file may stop, restart and fill. */
export type PrivatePostgres = {
  /** URL of a migrated database, with the role of the service. */
  readonly url: string
  readonly directory: string
  /** Ends every connection except the caller's. */
  killConnections(applicationName?: string): Promise<number>
  stop(mode: 'fast' | 'immediate'): Promise<void>
  start(): Promise<void>
  restart(mode: 'fast' | 'immediate'): Promise<void>
  close(): Promise<void>
}

/** @param directory folder of its data; default: a new folder. */
export async function startPrivatePostgres(directory?: string): Promise<PrivatePostgres> {
  const home = directory ?? (await makeClusterFolder('chat-service-postgres-'))
  const settings = [...clusterSettings, 'max_connections=200']
  const server = await openEmbedded(home, settings)
  await migrateDatabase(server.url, server.url)
  const programs = await findPrograms()
  const run = await runnerFor(await postgresIdentity(), programs, home)
  const data = path.join(home, 'postgres')
  const { port } = new URL(server.url)
  const options = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`, ...settings]
    .map((setting) => `-c ${setting}`)
    .join(' ')
  const control = async (...args: readonly string[]) => {
    const { code, output } = await run(programs.pg_ctl, [...args, '-D', data, '-w', '-t', '60'])
    if (code !== 0) throw new Error(`pg_ctl ${args[0]}: ${output}`)
  }
  const stop = (mode: string) => control('stop', '-m', mode)
  const start = () => control('start', '-l', path.join(home, 'postgres.log'), '-o', options)
  return {
    url: server.url,
    directory: home,
    async killConnections(applicationName = '%') {
      const admin = new pg.Client({ connectionString: server.adminUrl })
      await admin.connect()
      const killed = await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = 'service' and application_name like $1 and pid <> pg_backend_pid()`,
        [applicationName],
      )
      await admin.end()
      return killed.rowCount ?? 0
    },
    stop,
    start,
    async restart(mode) {
      await stop(mode)
      await start()
    },
    async close() {
      await server.release()
      await stop('immediate').catch(() => undefined)
      if (directory === undefined) await rm(home, { recursive: true, force: true })
    },
  }
}
