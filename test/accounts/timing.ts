/**
 * `node test/accounts/timing.ts [samples]`: how long foreign and random ids take, in turn, for every route with an id.
 * It prints medians and the p value of a Mann-Whitney U test (normal approximation; H. B. Mann, D. R. Whitney, 1947) and
 * judges nothing: times depend on the machine. Run it twice, and look at routes with a small p both times.
 */

import process from 'node:process'
import { newId } from '../../src/ids.ts'
import { fillRequestsWorld, requestsOptions } from '../fuzz/requests-things.ts'
import { call } from '../support/world/requests.ts'
import { openWorld } from '../support/world/world.ts'

const samples = Number(process.argv[2] ?? 1_000)
const kinds = {
  projects: 'project',
  sessions: 'session',
  runs: 'run',
  files: 'file',
  responses: 'run',
} as const
type Kind = keyof typeof kinds

const routes: readonly (readonly [kind: Kind, path: string])[] = [
  ['projects', '/v1/projects/ID'],
  ['sessions', '/v1/agent/sessions/ID'],
  ['sessions', '/v1/agent/sessions/ID/messages'],
  ['runs', '/v1/agent/runs/ID'],
  ['runs', '/v1/agent/runs/ID/events'],
  ['files', '/v1/files/ID'],
  ['files', '/v1/files/ID/content'],
  ['responses', '/v1/responses/ID'],
]

/** Two-sided p value of the hypothesis that neither sample tends to be larger. */
function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, first: true })), ...b.map((value) => ({ value, first: false }))]
  const ranked = all.toSorted((x, y) => x.value - y.value)
  const rankSum = ranked.reduce((sum, { first }, i) => sum + (first ? i + 1 : 0), 0)
  const u = rankSum - (a.length * (a.length + 1)) / 2
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12)
  return 2 * upperTail(Math.abs((u - (a.length * b.length) / 2) / deviation))
}

/** Of the normal distribution (Abramowitz and Stegun, 26.2.17). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const sum = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum
}

const median = (values: readonly number[]) =>
  values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)] ?? 0

const world = await openWorld({ postgres: 'private', ...requestsOptions() })
const { service, keys, ids } = await fillRequestsWorld(world)
const prefixes = {
  projects: 'proj_',
  sessions: 'sess_',
  runs: 'run_',
  files: 'file-',
  responses: 'resp_',
} as const

async function timeOf(path: string): Promise<number> {
  const began = performance.now()
  await (await call(service, keys[0], 'GET', path)).text()
  return performance.now() - began
}

try {
  for (const [kind, path] of routes) {
    // The second of its kind belongs to the other account.
    const foreign = ids.filter((id) => id.startsWith(prefixes[kind]))[1] ?? ''
    const random = () => newId(kinds[kind]).replace(/^run_/, kind === 'responses' ? 'resp_' : 'run_')
    for (let n = 0; n < 50; n += 1) await timeOf(path.replace('ID', foreign))
    const [those, others]: [number[], number[]] = [[], []]
    for (let n = 0; n < samples; n += 1) {
      // Which of the two comes first changes, so that nothing but the id differs.
      const pair = [
        () => timeOf(path.replace('ID', foreign)).then((ms) => those.push(ms)),
        () => timeOf(path.replace('ID', random())).then((ms) => others.push(ms)),
      ]
      for (const one of n % 2 === 0 ? pair : pair.toReversed()) await one()
    }
    const [a, b] = [median(those), median(others)]
    process.stdout.write(
      `${path.padEnd(34)} foreign ${a.toFixed(3)} ms, random ${b.toFixed(3)} ms, difference ${(((a - b) / b) * 100).toFixed(1)} %, p ${mannWhitney(those, others).toFixed(3)}\n`,
    )
  }
} finally {
  await world.close()
}
