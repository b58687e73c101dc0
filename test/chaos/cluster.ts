import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Random } from '../support/random.ts'
import { withDatabase } from '../support/with-database.ts'
import { makeAccount, makeKey, pepperText } from '../support/world/accounts.ts'
import { type ChaosPostgres, startPostgres } from './postgres.ts'
import { type FaultyProxy, startFaultyProxy } from './proxy.ts'
import { type Exit, type Replica, startReplica } from './replica.ts'

/** A replica with two proxies that inject faults: one for its clients, one for its database connections. */
export type Node = {
  readonly replica: Replica
  readonly clients: FaultyProxy
  readonly database: FaultyProxy
}

export type Cluster = {
  readonly nodes: readonly [Node, ...Node[]]
  readonly postgres: ChaosPostgres
  /** Texts that no log may contain. */
  readonly secrets: readonly string[]
  /** Creates `count` keys, each with its own project, on accounts with large limits. */
  makeKeys(count: number): Promise<readonly string[]>
  /** Stops Postgres like a crash; the replicas reach the new one through their proxies. */
  crashPostgres(downMs: number): Promise<void>
  untilReady(): Promise<void>
  /** Ends the replicas with SIGTERM; the database keeps running. */
  stopReplicas(): Promise<void>
  stopPostgres(): Promise<void>
}

type ClusterOptions = {
  readonly modelUrl: string
  readonly random: Random
  readonly onExit: (exit: Exit) => void
}

/** A replica that needs longer to start on an idle database counts as failed. */
const startMs = 120_000

/** Starts three real processes on one Postgres; they create its schema concurrently. */
export async function startCluster(directory: string, options: ClusterOptions): Promise<Cluster> {
  const dataDir = path.join(directory, 'data')
  const logs = path.join(directory, 'logs')
  await mkdir(logs, { recursive: true })
  const postgres = await startPostgres(dataDir)
  const secrets = [pepperText, postgres.password]
  const start = (name: string) => startNode(name, logs, postgres, options)
  const nodes = [await start('replica-1'), await start('replica-2'), await start('replica-3')] as const
  const untilReady = async () => {
    await Promise.all(nodes.map(({ replica }) => replica.untilReady(startMs)))
  }
  await untilReady()
  return {
    nodes: [...nodes],
    postgres,
    secrets,
    async makeKeys(count) {
      const keys = await makeKeys(postgres.url(), count)
      secrets.push(...keys)
      return keys
    },
    async crashPostgres(downMs) {
      await postgres.crash(downMs)
      for (const { database } of nodes) database.aim(postgres.port())
    },
    untilReady,
    async stopReplicas() {
      await Promise.all(nodes.map(({ replica }) => replica.stop()))
      await Promise.all(nodes.flatMap(({ clients, database }) => [clients.close(), database.close()]))
    },
    stopPostgres: () => postgres.stop(),
  }
}

async function startNode(
  name: string,
  directory: string,
  postgres: ChaosPostgres,
  options: ClusterOptions,
): Promise<Node> {
  const database = await startFaultyProxy(postgres.port())
  // Port 1 has no listener: until the replica is ready, its clients are refused.
  const clients = await startFaultyProxy(1)
  const url = new URL(postgres.url())
  url.port = String(database.port)
  const restarts = options.random.fork(`restarts of ${name}`)
  const replica = startReplica(name, {
    directory,
    env: {
      DATABASE_URL: url.href,
      KEY_PEPPER: pepperText,
      // Links in answers must be equal, whichever replica ends the run.
      APP_URL: 'http://chat.example.test',
      MODEL_BASE_URL: options.modelUrl,
      MODEL_NAME: 'scripted',
      // The fake model identifies the calling process by this key.
      MODEL_API_KEY: name,
      LOG_LEVEL: 'info',
      // Turns that last longer are handed over.
      DRAIN_SECONDS: '2',
      // They start hundreds of times.
      NODE_COMPILE_CACHE: path.join(directory, 'compiled'),
    },
    restartDelayMs: () => restarts.between(0, 400),
    onReady: (port) => clients.aim(port),
    onExit: options.onExit,
  })
  return { replica, clients, database }
}

/** Keys per account; starts of turns lock their account, so one account would serialise them. */
const keysOfAccount = 5

async function makeKeys(url: string, count: number): Promise<readonly string[]> {
  return withDatabase(url, async (database) => {
    const keys: string[] = []
    let account = ''
    for (let i = 0; i < count; i += 1) {
      if (i % keysOfAccount === 0) account = (await makeAccount(database, 'unlimited')).id
      keys.push(await makeKey(database, account))
    }
    return keys
  })
}
