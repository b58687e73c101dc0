import { beforeAll, expect, test } from 'vitest'
import { isShort } from '../support/full.ts'
import { send } from '../support/http-raw.ts'
import { useThings } from '../support/world/things.ts'
import { unhurried } from '../support/world/unhurried.ts'
import { useWorld } from '../support/world/world.ts'

/** Of each kind that has large values. Their JSON is many times as long as a page. */
const largeRows = 60
/** Of each kind that has small values, beside what `makeThings` makes. */
const smallRows = 5_000

/** 200 KB of JSON that Postgres stores compressed: letters of two bytes. */
const large = `repeat('שלום ', 22000)`
/** The longest name of a file. */
const longName = `repeat('ש', 120)`

const world = useWorld(unhurried)
const home = useThings(world)
beforeAll(async () => {
  const pool = world.db.database.systemPool
  const copies = (count: number) => `generate_series(1, ${count}) as n`
  // As the model's answers would leave them, without 60 turns of 200 KB each.
  await pool.query(`
    create temp table copied_runs as select * from runs where id = '${home.runId}';
    insert into runs select (jsonb_populate_record(r, jsonb_build_object('id', left(r.id, 20) || lpad(n::text, 8, '0'),
      'turn', r.turn + n, 'cost_micros', 0, 'status', 'failed', 'hold_micros', 0, 'held_allowance_micros', 0, 'step_count', 0,
      'event_count', 0, 'reply', jsonb_set(r.reply, '{end,text}', to_jsonb(${large}))))).*
      from copied_runs r, ${copies(largeRows)};
    insert into messages (id, account_id, session_id, run_id, turn, position, role, content)
      select 'msg_' || lpad(n::text, 24, '0'), account_id, session_id, '', turn, 1000 + n, 'user',
        jsonb_build_object('role', 'user', 'content', ${large})
      from copied_runs, ${copies(largeRows)};
    insert into messages (id, account_id, session_id, run_id, turn, position, role, content)
      select 'msg_1' || lpad(n::text, 23, '0'), account_id, session_id, id, turn, n - 100, 'user',
        jsonb_build_object('role', 'user', 'content', ${large})
      from copied_runs, ${copies(largeRows)};
    insert into files (id, account_id, project_id, name, purpose, version, bytes, sha256, content_type)
      select 'file_' || lpad(n::text, 24, '0'), account_id, project_id, ${longName} || n, 'user_data', 1, 0, '', 'text/plain'
      from copied_runs, ${copies(2 * smallRows)};
    insert into sessions (id, account_id, project_id, model, name)
      select 'sess_' || lpad(n::text, 24, '0'), account_id, project_id, model, repeat('ש', 200) from copied_runs, ${copies(smallRows)};
    insert into projects (id, account_id, name)
      select 'proj_' || lpad(n::text, 24, '0'), account_id, repeat('ש', 190) || n from copied_runs, ${copies(smallRows)};
    update sessions set turn_count = turn_count + ${largeRows} where id = '${home.sessionId}';`)
})

const conversation = () => home.sessionId.replace('sess_', 'conv_')
const response = () => home.runId.replace('run_', 'resp_')

const lists: readonly (readonly [route: string, path: () => string, limit: number, least: number])[] = [
  ['/v1/projects', () => '/v1/projects', 1_000, smallRows],
  ['/v1/agent/sessions', () => '/v1/agent/sessions', 1_000, smallRows],
  [
    '/v1/agent/sessions/{id}/messages',
    () => `/v1/agent/sessions/${home.sessionId}/messages`,
    1_000,
    2 * largeRows,
  ],
  ['/v1/agent/sessions/{id}/runs', () => `/v1/agent/sessions/${home.sessionId}/runs`, 1_000, largeRows],
  ['/v1/files', () => '/v1/files', 10_000, 2 * smallRows],
  ['/v1/conversations/{id}/items', () => `/v1/conversations/${conversation()}/items`, 1_000, 2 * largeRows],
  ['/v1/responses/{id}/input_items', () => `/v1/responses/${response()}/input_items`, 1_000, largeRows],
  ['/v1/usage', () => '/v1/usage', 1_000, 0],
]

/** A page of 4 MiB, with the ids and times of its rows. */
const maxBytes = 5 * 1024 * 1024

type Page = { readonly ids: readonly string[]; readonly next: string | undefined; readonly bytes: number }

async function readPage(path: string): Promise<Page> {
  const { status, text, headers } = await send(world.service, { method: 'GET', path, key: home.key })
  expect({ path, status }).toEqual({ path, status: 200 })
  const body = JSON.parse(text)
  const rows: { id: string }[] = Array.isArray(body) ? body : body.data
  const ids = rows.map(({ id }) => id)
  const bytes = Buffer.byteLength(text)
  const url = new URL(path, 'http://host')
  url.searchParams.set('after', ids.at(-1) ?? '')
  const link = /^<(.+)>; rel="next"$/.exec(String(headers['link'] ?? ''))?.[1]
  return {
    ids,
    bytes,
    next: Array.isArray(body) ? link : body.has_more ? url.pathname + url.search : undefined,
  }
}

test.each(lists)(
  'each page of %s has at most 5 MiB, and all pages have all rows',
  async (_, path, limit, least) => {
    const seen = new Set<string>()
    let rows = 0
    let next: string | undefined = `${path()}?limit=${limit}&order=asc`
    while (next !== undefined) {
      const page: Page = await readPage(next)
      expect(page.bytes).toBeLessThan(maxBytes)
      for (const id of page.ids) seen.add(id)
      rows += page.ids.length
      next = page.next
    }
    expect(rows).toBeGreaterThanOrEqual(least)
    expect(seen.size).toBe(rows)
  },
)

test('the table has every list that is read in pages', async () => {
  const { text } = await send(world.service, { method: 'GET', path: '/openapi.json' })
  type Parameter = { name: string; schema: { maximum?: number } }
  const paths: Record<string, { get?: { parameters?: Parameter[] } }> = JSON.parse(text).paths
  const limitOf = (parameters: Parameter[] = []) =>
    parameters.find(({ name }) => name === 'limit')?.schema.maximum ?? 0
  // The pages of the library have passages, whose length the import bounds.
  const paged = Object.entries(paths)
    .filter(([, { get }]) => get?.parameters?.some(({ name }) => name === 'after'))
    .filter(([path]) => !path.startsWith('/v1/sources/'))
    // Pages of 100 rows are small whatever the rows have: keys, accounts and deliveries.
    .filter(([, { get }]) => limitOf(get?.parameters) > 100)
  expect(paged.map(([path]) => path).sort()).toEqual(lists.map(([route]) => route).sort())
})

test.skipIf(isShort)('twelve clients that read long pages at once need memory for a few pages', async () => {
  const before = process.memoryUsage().rss
  let peak = before
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 10)
  const path = `/v1/agent/sessions/${home.sessionId}/runs?limit=1000`
  await Promise.all(Array.from({ length: 12 }, () => readPage(path)))
  clearInterval(sampling)
  // The clients are in this process too. Without a bound one reply has 13 MB, and twelve need 1 GB.
  expect(peak - before).toBeLessThan(400 * 1024 * 1024)
})
