import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { seededRandom } from '../support/random.ts'
import { withDatabase } from '../support/with-database.ts'
import { type Access, anyReplica, readyReplicas } from './access.ts'
import { type Client, carryOut, type Surroundings } from './client.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { findBadLines, readRows, unfinishedRuns } from './evidence.ts'
import type { Findings } from './findings.ts'
import { type History, openHistory } from './history.ts'
import { live, openPace } from './load.ts'
import { startModel } from './model.ts'
import type { Options } from './options.ts'
import type { Intent } from './plan.ts'
import { expectedText } from './questions.ts'
import { readBack } from './read-back.ts'
import { restartOneByOne } from './rolling.ts'
import { settleMs } from './rules-of-runs.ts'
import { type Storm, startStorm } from './storm.ts'

export type Harness = {
  /** Folder for the logs of the replicas, and for the history unless `historyFile` is elsewhere. */
  readonly directory: string
  readonly historyFile: string
  readonly history: History
  run(): Promise<Findings>
}

export async function openHarness(options: Options): Promise<Harness> {
  const directory = await mkdtemp(path.join(tmpdir(), 'chat-service-chaos-'))
  const historyFile = path.resolve(options.history ?? path.join(directory, 'history.jsonl'))
  const history = openHistory(historyFile)
  return {
    directory,
    historyFile,
    history,
    async run() {
      let storm: Storm | undefined
      const random = seededRandom(options.seed)
      const model = await startModel(
        ({ at: _, ...call }) => history.record({ type: 'model call', ...call }),
        (replica) => storm?.aim(replica),
      )
      const cluster = await startCluster(directory, {
        modelUrl: model.baseUrl,
        random: random.fork('cluster'),
        onExit: ({ at: _, ...exit }) => history.record({ type: 'exit', ...exit }),
      })
      const keys = await cluster.makeKeys(options.clients)
      const clients = keys.map((key, i) => ({ key, random: random.fork(`client ${i}`) }))
      const stage = { options, cluster, history, clients }
      const sourceList = await askForSources(stage)
      if (options.minutes > 0) {
        history.record({ type: 'phase', phase: 'storm' })
        storm = startStorm(cluster, random.fork('faults'), history)
        await weather(stage, storm)
      }
      if (options.rounds > 0) await roll(stage)
      history.record({ type: 'phase', phase: 'rest' })
      await settle(cluster)
      await withAccess(stage, anyReplica(cluster), (world) => readBack(world, clients))
      history.record({ type: 'phase', phase: 'end' })
      await cluster.stopReplicas()
      await model.close()
      const findings = await gather(stage, sourceList)
      await cluster.stopPostgres()
      await rm(path.join(directory, 'data'), { recursive: true, force: true })
      await history.close()
      return findings
    },
  }
}

type Stage = {
  readonly options: Options
  readonly cluster: Cluster
  readonly history: History
  readonly clients: readonly Client[]
}

/** Runs the storm, the calm phase, and waits until every run has ended. */
async function weather({ options, cluster, history, clients }: Stage, storm: Storm): Promise<void> {
  const access = anyReplica(cluster)
  const closing = new AbortController()
  const over = new AbortController()
  const world = { access: () => access, history, over: over.signal }
  const ms = options.minutes * 60_000
  const pace = openPace((options.turns / ms) * 1_000, closing.signal)
  const begin = Date.now()
  const lives = clients.map((client, i) => live(world, client, `c${i}`, 'storm', pace))
  const all = Promise.all(lives)
  const isEnough = () => {
    const passed = Date.now() - begin
    return passed >= 1.5 * ms || (passed >= ms && pace.started() >= options.turns)
  }
  while (!isEnough()) await Promise.race([delay(250), all])
  closing.abort()
  await storm.calm()
  history.record({ type: 'phase', phase: 'calm' })
  const late = setTimeout(() => over.abort(), settleMs)
  await Promise.all([all, cluster.untilReady()])
  clearTimeout(late)
  await settle(cluster)
}

/** Restarts one replica after the other while every client reads a stream. */
async function roll(stage: Stage): Promise<void> {
  const { options, cluster, history, clients } = stage
  history.record({ type: 'phase', phase: 'rolling' })
  await withAccess(stage, readyReplicas(cluster), async (world, over) => {
    const closing = new AbortController()
    const pace = openPace(Number.POSITIVE_INFINITY, closing.signal)
    const lives = clients.map((client, i) => live(world, client, `s${i}`, 'streams', pace))
    const all = Promise.all(lives)
    await Promise.race([restartOneByOne(cluster, history, options.rounds), all])
    closing.abort()
    const late = setTimeout(() => over.abort(), settleMs)
    await all
    clearTimeout(late)
  })
}

async function withAccess(
  { history }: Stage,
  access: Access,
  work: (world: Surroundings, over: AbortController) => Promise<void>,
): Promise<void> {
  const over = new AbortController()
  try {
    await work({ access: () => access, history, over: over.signal }, over)
  } finally {
    await access.close()
  }
}

/**
 * Reads the list of sources from the first answer; it depends on the library only, so all later answers have
 * the same.
 */
async function askForSources(stage: Stage): Promise<string> {
  const question = { id: 'first', shape: 'search', words: 3, chunks: 1, delayMs: 0 } as const
  const intent: Intent = {
    id: question.id,
    client: 'first',
    question,
    delivery: 'whole',
    guard: 'key',
    onDisconnect: 'continue',
    includeUsage: false,
    progress: true,
    timeoutMs: 20_000,
    comesBack: true,
  }
  await withAccess(stage, anyReplica(stage.cluster), async (world) => {
    const [client] = stage.clients
    if (client) await carryOut(world, client, intent)
  })
  const answered = stage.history.entries.flatMap((entry) =>
    entry.type === 'ok' ? [entry.reply.text] : [],
  )[0]
  const expected = expectedText(question, [])
  if (!answered?.startsWith(expected) || answered === expected) throw new Error(`no sources in: ${answered}`)
  return answered.slice(expected.length)
}

async function settle(cluster: Cluster): Promise<void> {
  await withDatabase(cluster.postgres.url(), async (database) => {
    for (let waited = 0; waited < settleMs && (await unfinishedRuns(database)) > 0; waited += 200)
      await delay(200)
  })
}

async function gather({ cluster, history }: Stage, sourceList: string): Promise<Findings> {
  const { entries } = history
  const followed = new Set(entries.flatMap((entry) => (entry.type === 'events' ? [entry.runId] : [])))
  return withDatabase(cluster.postgres.url(), async (database) => ({
    entries,
    rows: await readRows(database, [...followed]),
    badLines: await findBadLines(
      cluster.nodes.map(({ replica }) => replica.logFile),
      cluster.secrets,
    ),
    sourceList,
  }))
}
