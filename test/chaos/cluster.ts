import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { createKey } from '../../src/accounts/keys/keys.ts'
import { parsePeppers } from '../../src/accounts/keys/pepper.ts'
import { openDatabase, withTx } from '../../src/db/client.ts'
import type { Random } from '../support/random.ts'
import { makeAccount } from '../support/world/accounts.ts'
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

/** A replica that needs longer to start on an idle database counts as failed. */
const startMs = 120_000

/** Starts three real processes on one Postgres; they create its schema concurrently. */
export async function startCluster(
  directory: string,
  options: {
    readonly modelUrl: string
    readonly random: Random
    readonly onExit: (exit: Exit) => void
  },
): Promise<Cluster> {
  const dataDir = path.join(directory, 'data')
  const logs = path.join(directory, 'logs')
  await mkdir(logs, { recursive: true })
  const postgres = await startPostgres(dataDir)
  const pepper = randomBytes(24).toString('hex')
  const secrets = [pepper, postgres.password]
  const start = (name: string) => startNode(name, logs, postgres, pepper, options)
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
      const keys = await makeKeys(postgres.url(), pepper, count)
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
  pepper: string,
  options: { readonly modelUrl: string; readonly random: Random; readonly onExit: (exit: Exit) => void },
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
      KEY_PEPPER: pepper,
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

async function makeKeys(url: string, pepper: string, count: number): Promise<readonly string[]> {
  const database = openDatabase({ url, onIdleError: () => undefined, maxConnections: 2 })
  try {
    const keys: string[] = []
    let account = await makeAccount(database, 'unlimited')
    for (let i = 0; i < count; i += 1) {
      if (i > 0 && i % keysOfAccount === 0) account = await makeAccount(database, 'unlimited')
      const input = { name: `client ${i}`, reach: { kind: 'dedicated' } as const }
      const { key } = await withTx(database, 'system', (tx) =>
        createKey(tx, parsePeppers(pepper), account.id, input),
      )
      keys.push(key)
    }
    return keys
  } finally {
    await database.close()
  }
}
