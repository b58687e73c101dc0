import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { bundleService } from '../../build/bundle.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { reply, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { anyCut, carryOutIntent, unkeyedClients } from '../support/unkeyed-intents.ts'
import { withDatabase } from '../support/with-database.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { unfinishedRuns } from './evidence.ts'

/**
 * Measures charges of requests without an `Idempotency-Key`: clients with default settings, several replicas,
 * connections cut at any byte, processes killed, suspended and stopped. Prints the charges of each intent
 * that does not have exactly one.
 */

const options = parseArgs({
  options: {
    intents: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '8' },
    // Milliseconds that an application waits before it repeats a request.
    delay: { type: 'string', default: '0' },
    'cuts-only': { type: 'boolean', default: false },
  },
}).values

const print = (line: string): void => void process.stdout.write(`${line}\n`)

async function main(): Promise<boolean> {
  const random = seededRandom(Number(options.seed))
  await bundleService({ ifChanged: true })
  const directory = await mkdtemp(path.join(tmpdir(), 'chat-service-unkeyed-'))
  const model = await startScriptedUpstream({ records: false })
  model.setDefault(() => reply('The answer of the model. '.repeat(20), { chunks: 8, delayMs: 20 }))
  const cluster = await startCluster(directory, { modelUrl: model.baseUrl, random, onExit: () => undefined })
  const [key = ''] = await cluster.makeKeys(1)
  const over = new AbortController()
  const faults = options['cuts-only'] ? [] : [disturb(cluster, random.fork('faults'), over.signal)]
  const sent = await carryOutAll(cluster, key, random)
  over.abort()
  const done = await Promise.all(faults)
  const charges = await chargesOf(cluster)
  await cluster.stopReplicas()
  await cluster.stopPostgres()
  await rm(directory, { recursive: true, force: true })
  const wrong = [...charges].filter(([, count]) => count !== 1)
  for (const [question, count] of wrong) print(`${question}: ${count} charges`)
  print(`${charges.size} intents, sent ${sent} times, ${done[0] ?? 0} faults`)
  print(
    `${[...charges.values()].reduce((sum, count) => sum + count, 0)} charges, ${wrong.length} intents without exactly one`,
  )
  return wrong.length === 0
}

async function carryOutAll({ nodes }: Cluster, key: string, random: Random): Promise<number> {
  const cuts = anyCut(random.fork('cuts'))
  const proxies = await Promise.all(
    nodes.map(({ clients }) => startCuttingProxy(`http://127.0.0.1:${clients.port}`, cuts)),
  )
  const urls = proxies.map(({ url }) => url) as [string, ...string[]]
  const { clients, close } = unkeyedClients(key)
  const [count, lanes] = [Number(options.intents), Number(options.lanes)]
  let [next, sent] = [0, 0]
  const lane = async () => {
    for (let n = next++; n < count; n = next++) {
      const client = clients[n % clients.length] ?? clients[0]
      const times = await carryOutIntent(
        client,
        urls,
        `Intent ${n}, ${client.name}`,
        random.fork(`intent ${n}`),
        Number(options.delay),
      )
      sent += times
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  close()
  await Promise.all(proxies.map((proxy) => proxy.close()))
  return sent
}

/**
 * Kills, suspends and stops one replica after the other until `over`.
 * @returns how often.
 */
async function disturb({ nodes }: Cluster, random: Random, over: AbortSignal): Promise<number> {
  for (let count = 0; ; count += 1) {
    await delay(random.between(1_000, 4_000), undefined, { signal: over }).catch(() => undefined)
    if (over.aborted) return count
    const ready = nodes.filter(({ replica }) => replica.state() === 'ready')
    const node = ready.length > 1 ? ready[random.whole(0, ready.length - 1)] : undefined
    const kind = random.pick(['kill', 'freeze', 'stop'])
    if (kind === 'kill') node?.replica.signal('SIGKILL')
    else if (kind === 'stop') node?.replica.signal('SIGTERM')
    else await node?.replica.freeze(random.between(500, 18_000), over)
  }
}

/** Number of charges per question, once its runs have ended. */
function chargesOf({ postgres }: Cluster): Promise<ReadonlyMap<string, number>> {
  return withDatabase(postgres.url(), async (database) => {
    while ((await unfinishedRuns(database)) > 0) await delay(500)
    const { rows } = await database.systemPool.query<{ question: string; charges: number }>(
      `select m.content->>'content' as question, count(l.id)::int as charges
       from messages m left join ledger l on l.run_id = m.run_id
       where m.role = 'user' group by 1`,
    )
    return new Map(rows.map(({ question, charges }) => [question, charges]))
  })
}

process.exit((await main()) ? 0 : 1)
