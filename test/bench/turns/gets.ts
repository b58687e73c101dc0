import { type Figure, median, percentile, print } from '../report.ts'
import type { World } from './world.ts'

const concurrency = 16

/** Cheap: the key is looked up and nothing else. */
const cheap = '/v1/models'
/** For comparison: the balance beside it, seven statements in a transaction. */
const dear = '/v1/key'

/** Reads of the API: how many a second one core of the server serves, and how long they take. */
export async function measureGets(
  world: World,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<readonly Figure[]> {
  const measured = []
  for (const path of [cheap, dear]) {
    await getFor(world, path, 1)
    for (let round = 0; round < rounds; round += 1) {
      const before = await world.service.cpuMs()
      const times = await getFor(world, path, seconds)
      const cpuMs = ((await world.service.cpuMs()) - before) / times.length
      const one = { perSecond: times.length / seconds, perCore: 1_000 / cpuMs, p99: percentile(times, 0.99) }
      print(
        `  round ${round + 1}, GET ${path}: ${one.perSecond.toFixed(0)}/s, ${one.perCore.toFixed(0)}/s of one core, p99 ${one.p99.toFixed(1)} ms`,
      )
      if (path === cheap) measured.push(one)
    }
  }
  return [
    {
      ...{
        name: 'cheap GETs a second of one core',
        unit: '/s',
        goal: 2_500,
        gate: 2_500,
        more: true,
      },
      value: median(measured.map(({ perCore }) => perCore)),
    },
    {
      ...{ name: `cheap GETs, c=${concurrency}, p99, best round`, unit: 'ms', goal: 20, gate: 20 },
      value: Math.min(...measured.map(({ p99 }) => p99)),
    },
  ]
}

async function getFor({ service }: World, path: string, seconds: number): Promise<readonly number[]> {
  const { url, key, dispatcher } = service.target
  const times: number[] = []
  const until = performance.now() + seconds * 1_000
  const client = async () => {
    while (performance.now() < until) {
      const began = performance.now()
      const headers = { authorization: `Bearer ${key}` }
      const { statusCode, body } = await dispatcher.request({ origin: url, path, method: 'GET', headers })
      const text = await body.text()
      if (statusCode !== 200 || !text.includes('"object"'))
        throw new Error(`GET ${path}: ${statusCode} ${text}`)
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  return times
}
