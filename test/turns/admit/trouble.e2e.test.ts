import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/client.ts'
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts'
import { reply } from '../../support/upstream-scripts.ts'
import type { Completion, ErrorReply } from '../../support/world/replies.ts'
import { ask, call } from '../../support/world/requests.ts'
import { useWorld, type World } from '../../support/world/world.ts'

let { db, service, key } = {} as World
let proxy: PostgresProxy
let database: Database

const world = useWorld({
  script: reply('Yes.'),
  async connect({ url }) {
    proxy = await startPostgresProxy(url)
    database = openDatabase({ url: proxy.url, onIdleError: () => undefined })
    return database
  },
})
beforeAll(async () => {
  ;({ db, service, key } = world)
})
afterAll(async () => {
  await database.close()
  await proxy.close()
})

const chat = (text: string) => call(service, key, 'POST', '/v1/chat/completions', ask(text))

type Row = { id: string; status: string; charges: number }

/** The runs that were started by this question. */
async function runsOf(text: string): Promise<readonly Row[]> {
  const { rows } = await db.database.systemPool.query<Row>(
    `select r.id, r.status,
      (select count(*)::int from ledger t where t.run_id = r.id and t.kind = 'charge') as charges
    from runs r join messages m on m.run_id = r.id and m.role = 'user' where m.content::text like $1`,
    [`%${text}%`],
  )
  return rows
}

test('a committed start whose client got a 503 runs once, and a retry finds it', async () => {
  const cut = proxy.cutAtCommit('Given up', 'reply-lost').then(() => {
    proxy.refuse(true)
    proxy.cutAll()
  })
  const refused = await chat('Given up')
  await cut
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('2')
  expect(((await refused.json()) as ErrorReply).error.code).toBe('database_unavailable')
  proxy.refuse(false)
  // Without waiting for the lease of 15 s.
  await expect.poll(() => runsOf('Given up')).toMatchObject([{ status: 'completed', charges: 1 }])
  const again = await chat('Given up')
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(((await again.json()) as Completion).choices[0]?.message.content).toBe('Yes.')
  // Now it has been answered: the same question once more is a new turn.
  await expect.poll(async () => (await chat('Given up')).headers.get('idempotency-replayed')).toBeNull()
})

test('a start that never reached the database leaves nothing, and a retry starts it', async () => {
  const cut = proxy.cutAtCommit('Not begun', 'request-lost').then(() => {
    proxy.refuse(true)
    proxy.cutAll()
  })
  const refused = await chat('Not begun')
  await cut
  expect(refused.status).toBe(503)
  proxy.refuse(false)
  expect(await runsOf('Not begun')).toEqual([])
  const again = await chat('Not begun')
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null])
  expect(await runsOf('Not begun')).toHaveLength(1)
})
