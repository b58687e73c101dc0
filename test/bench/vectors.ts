/**
 * `npm run bench -- vectors [count] [dimensions]`: vectors of random directions in an embedded Postgres of its own, read
 * into memory and searched as the service does. Prints the time to read them, the time of a search, how it compares
 * with a plain loop over the same numbers, and how many of the ten nearest one byte a dimension keeps.
 */
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import type { Database } from '../../src/db/client.ts'
import { quantize } from '../../src/sources/vectors/quantize.ts'
import { openVectorMemory } from '../../src/sources/vectors/vector-memory.ts'
import { randomFrom } from '../support/random.ts'
import { connectAsSuperuser, withNewDatabase, withPostgres } from './own-postgres.ts'
import { percentile, print } from './report.ts'

const model = 'bench'
const queries = 200
const batch = 1_000
/** Vectors whose exact neighbours are found by the plain loop. */
const compared = 20_000

const random = randomFrom(11)

/** Uniform directions: the sum of uniform numbers is close enough to normal (central limit theorem). */
function direction(dims: number): Float64Array {
  return Float64Array.from({ length: dims }, () => random() + random() + random() - 1.5)
}

export async function measureVectors(args: readonly string[]): Promise<void> {
  const [count = 220_000, dims = 384] = args.map(Number)
  await withPostgres(['fsync=off'], (server) =>
    withNewDatabase(server.url, async (database) => {
      // A superuser may leave foreign keys unchecked.
      const admin = await connectAsSuperuser(server)
      await store(admin, count, dims)
      await admin.end()
      await measure(database, count, dims)
    }),
  )
}

async function measure(database: Database, count: number, dims: number): Promise<void> {
  const memory = openVectorMemory(database, model)
  const find = async () => {
    const vector = direction(dims)
    const begun = performance.now()
    await memory.nearest([...vector], { ranges: undefined, limit: 50, timeoutMs: 600_000 })
    return performance.now() - begun
  }
  print(`${count} vectors of ${dims} dimensions read from Postgres: ${ms(await find())}`)
  const times: number[] = []
  for (let i = 0; i < queries; i += 1) times.push(await find())
  print(`search of 50 nearest: p50 ${ms(percentile(times, 0.5))}, p95 ${ms(percentile(times, 0.95))}`)
  print(`plain loop over as many numbers: ${ms((plainLoop(dims) * count) / compared)}`)
  print(`of the ten nearest among ${compared}, one byte a dimension keeps ${kept(dims).toFixed(3)}`)
  await memory.close()
}

const ms = (time: number): string => `${time.toFixed(1)} ms`

/** Writes vectors without texts: the foreign key is not checked. */
async function store(client: pg.Client, count: number, dims: number): Promise<void> {
  const executor = drizzle({ client })
  await executor.execute(sql`set session_replication_role = replica`)
  const found = await executor.execute<{ id: number }>(
    sql`insert into embedding_models (name, dims) values (${model}, ${dims}) returning id`,
  )
  for (let from = 0; from < count; from += batch) {
    const rows = Array.from({ length: Math.min(batch, count - from) }, () => quantize([...direction(dims)]))
    await executor.execute(sql`
      insert into passage_vectors (doc_id, model_id, scale, components)
      select ${from} + n.i, ${found.rows[0]?.id}, n.scale, n.components
      from unnest(${sql.param(rows.map((row) => row.scale))}::real[],
        ${sql.param(rows.map((row) => Buffer.from(row.components.buffer)))}::bytea[]) with ordinality as n (scale, components, i)`)
  }
}

/** Milliseconds to compare `compared` vectors of doubles with one, the best of five. */
function plainLoop(dims: number): number {
  const numbers = Float64Array.from({ length: compared * dims }, () => random() - 0.5)
  const query = direction(dims)
  let best = Number.POSITIVE_INFINITY
  let sum = 0
  for (let round = 0; round < 5; round += 1) {
    const from = performance.now()
    for (let i = 0; i < numbers.length; i += 1) sum += (numbers[i] ?? 0) * (query[i % dims] ?? 0)
    best = Math.min(best, performance.now() - from)
  }
  if (Number.isNaN(sum)) throw new Error('no number')
  return best
}

/** The share of the ten exact nearest that quantized vectors have among their ten, over 20 queries. */
function kept(dims: number): number {
  const vectors = Array.from({ length: compared }, () => direction(dims))
  const quantized = vectors.map((vector) => quantize([...vector]))
  const best = (score: (i: number) => number): ReadonlySet<number> =>
    new Set(
      vectors
        .map((_, i) => [i, score(i)] as const)
        .sort((a, b) => b[1] - a[1])
        .slice(0, 10)
        .map(([i]) => i),
    )
  const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => {
    let sum = 0
    for (let i = 0; i < dims; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0)
    return sum
  }
  let both = 0
  for (let round = 0; round < 20; round += 1) {
    const query = direction(dims)
    const exact = best((i) => dot(vectors[i] ?? [], query) / Math.hypot(...(vectors[i] ?? [])))
    const asked = quantize([...query])
    const near = best(
      (i) => dot(quantized[i]?.components ?? [], asked.components) * (quantized[i]?.scale ?? 0),
    )
    both += [...exact].filter((i) => near.has(i)).length
  }
  return both / 200
}
