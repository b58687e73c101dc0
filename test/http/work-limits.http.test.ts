import { sql } from 'drizzle-orm'
import { beforeAll, expect, test, vi } from 'vitest'
import { goodPassword, openVisitor } from '../support/visitor.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { useWorld, type World } from '../support/world/world.ts'

vi.setConfig({ testTimeout: 60_000 })

let { db, service } = {} as World

const world = useWorld({ model: 'built-in' })
beforeAll(async () => {
  ;({ db, service } = world)
})

const newKey = async () => makeKey(db.database, (await makeAccount(db.database)).id)

/** Work on the library waits for the database as long as `work` takes. */
async function withLibraryLocked(work: () => Promise<void>): Promise<void> {
  await db.database.system.transaction(async (tx) => {
    await tx.execute(sql`lock table versions, headings in access exclusive mode`)
    await work()
  })
}

/** Server processes that wait for that lock, once `enough` is true of them. */
async function waiters(enough: (pids: readonly number[]) => boolean): Promise<readonly number[]> {
  for (;;) {
    const { rows } = await db.database.system.execute<{ pid: number }>(sql`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    const pids = rows.map(({ pid }) => pid)
    if (enough(pids)) return pids
  }
}

const verify = (key: string, signal?: AbortSignal, text = '"A small light that drives away the darkness"') =>
  fetch(`${service.url}/v1/sources/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
    ...(signal && { signal }),
  })

test('a verification sends no further statement after its client disconnects', async () => {
  const key = await newKey()
  const left = new AbortController()
  // The thread is started first: that may take longer than a statement waits for a lock.
  expect((await verify(key)).status).toBe(200)
  const quotation = '"A small light that drives away the darkness"\n\n'
  let second: Promise<void> | undefined
  let own = 0
  await withLibraryLocked(async () => {
    const first = verify(key, left.signal, quotation.repeat(400)).catch(() => undefined)
    ;[own = 0] = await waiters((pids) => pids.length > 0)
    // In line behind the statement that waits: what would come after that one waits for this lock.
    second = withLibraryLocked(async () => {
      const states = await watch(own)
      expect(states).toBe('gone')
    })
    await waiters((pids) => pids.length > 1)
    left.abort()
    await first
  })
  await second
})

/** Whether a server process ends, or waits for the lock again. */
async function watch(pid: number): Promise<'gone' | 'waits again'> {
  for (;;) {
    const { rows } = await db.database.system.execute<{ type: string | null }>(
      sql`select wait_event_type as type from pg_stat_activity where pid = ${pid}`,
    )
    if (rows.length === 0) return 'gone'
    if (rows[0]?.type === 'Lock') return 'waits again'
  }
}

test('an account has one verification at a time, a few waiting, and a 429 beyond them', async () => {
  const [key, other] = [await newKey(), await newKey()]
  await verify(key)
  let all: Promise<Response>[] = []
  await withLibraryLocked(async () => {
    all = Array.from({ length: 4 }, () => verify(key))
    const refused = await Promise.race(all)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('10')
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
  })
  const statuses = (await Promise.all(all)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 200, 200, 429])
  expect((await verify(other)).status).toBe(200)
})

test.each([
  ['searches', '/library/search?q=light', 200],
  ['refs to read', '/library/read/Nowhere 1:2', 404],
])('an address has four %s at a time, 32 waiting, and a 429 beyond them', async (_, path, answered) => {
  // On the page: looking a key up would wait for a connection behind the searches.
  const search = () => openVisitor(service).get(path)
  let all: Promise<Response>[] = []
  await withLibraryLocked(async () => {
    all = Array.from({ length: 37 }, search)
    expect((await Promise.race(all)).status).toBe(429)
  })
  const statuses = (await Promise.all(all)).map(({ status }) => status)
  expect(statuses.filter((status) => status === answered)).toHaveLength(36)
})

test('an address has 60 sign-ups in an hour, weak passwords included', async () => {
  const attempt = (n: number, password: string) =>
    openVisitor(service).post('/signup', { email: `weak-${n}@example.org`, password })
  const hostile = 'abcabcabd'.repeat(22)
  for (let n = 0; n < 60; n += 1) expect((await attempt(n, 'short')).status).toBe(400)
  // Refused before the password is looked at: a good one and a hostile one get the same answer.
  for (const password of [hostile, goodPassword, 'short']) {
    const refused = await attempt(61, password)
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain('Too many attempts to create an account')
  }
})
