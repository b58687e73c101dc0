import path from 'node:path'
import { readCpuTimes } from '../cpu-times.ts'
import { type Figure, median, print } from '../report.ts'
import type { Target } from './exchange.ts'
import { closedLoop } from './load.ts'
import { requireGood, warm } from './rates.ts'
import { oneCall } from './script.ts'
import type { Worker } from './worker.ts'
import type { World } from './world.ts'

const clients = 64

type Round = {
  readonly perSecond: number
  readonly serviceMs: number
  readonly postgresMs: number
  readonly connections: number
}

/**
 * Turns per second of one process and of two replicas behind a balancer that gives each half of the accounts, and what
 * a turn takes of the processes and of Postgres. All of it, the model and the clients too, share this machine.
 */
export async function measureReplicas(
  world: World,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<readonly Figure[]> {
  const owners: Target[] = []
  for (let n = 1; n <= clients; n += 1) owners.push(await world.withOwner())
  const first = world.service
  const second = await world.startService()
  const all = [first, second]
  try {
    const [one, two]: [Round[], Round[]] = [[], []]
    for (const { url } of all) await warm({ ...first.target, url }, oneCall, clients, seconds)
    for (let round = 0; round < rounds; round += 1) {
      one.push(await load(world, owners, [first], seconds))
      two.push(await load(world, owners, all, seconds))
    }
    const memory = await Promise.all(all.map((worker) => worker.rssKib()))
    print(
      `  memory of the processes after it: ${memory.map((kib) => (kib / 1_024).toFixed(0)).join(', ')} MB`,
    )
    const ratio = (of: (round: Round) => number) =>
      median(two.map((round, n) => of(round) / (one[n] ? of(one[n]) : Number.NaN)))
    const cpuOf = ({ serviceMs, postgresMs }: Round) => serviceMs + postgresMs
    const at = `two replicas against one process, c=${clients}`
    return [
      {
        ...{ name: `${at}: turns/s`, unit: 'x', goal: 1, gate: 0.7, more: true },
        value: ratio(({ perSecond }) => perSecond),
      },
      { name: `${at}: CPU of a turn`, unit: 'x', goal: 1.1, gate: 1.5, value: ratio(cpuOf) },
    ]
  } finally {
    await second.stop()
  }
}

async function load(
  { admin }: World,
  owners: readonly Target[],
  services: readonly Worker[],
  seconds: number,
): Promise<Round> {
  const { rows } = await admin.query<{ data_directory: string }>('show data_directory')
  const dataDir = path.dirname(rows[0]?.data_directory ?? '')
  const times = async () => ({
    service: (await Promise.all(services.map((service) => service.cpuMs()))).reduce((a, b) => a + b, 0),
    postgres: (await readCpuTimes(dataDir)).postgres * 1_000,
  })
  const before = await times()
  const loads = owners.map((owner, n) => {
    const target = { ...owner, url: services[n % services.length]?.url ?? owner.url }
    return closedLoop({ target, script: oneCall }, 1, seconds)
  })
  const results = (await Promise.all(loads)).map(requireGood)
  const after = await times()
  const counted = await admin.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where application_name like 'meduyak%'`,
  )
  const turns = results.reduce((sum, { done }) => sum + done, 0)
  const round = {
    perSecond: results.reduce((sum, { done, seconds: taken }) => sum + done / taken, 0),
    serviceMs: (after.service - before.service) / turns,
    postgresMs: (after.postgres - before.postgres) / turns,
    connections: counted.rows[0]?.n ?? 0,
  }
  print(
    `  processes ${services.length}, c=${clients}: ${round.perSecond.toFixed(0)} turns/s; CPU of a turn: service ${round.serviceMs.toFixed(2)} ms, Postgres ${round.postgresMs.toFixed(2)} ms; connections of both processes ${round.connections}`,
  )
  return round
}
