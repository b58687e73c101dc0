import { setImmediate } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { withTx } from '../../src/db/client.ts'
import { reply } from '../support/scripted-upstream.ts'
import type { Completion } from '../support/world/replies.ts'
import { ask, call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld({ replicas: 2, script: reply('The answer of the model.') })

const rows = async (statement: string) =>
  (await world.db.database.systemPool.query<{ n: number }>(statement)).rows[0]?.n ?? 0
const waitingForLock = () =>
  rows(
    `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  )
const atWork = () =>
  rows(`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`)
const openConnections = () =>
  new Promise<number>((resolve, reject) =>
    world.service.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

async function until(what: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 120_000
  while (!(await what())) {
    if (performance.now() > end) throw new Error('it did not come to that')
    await setImmediate()
  }
}

test('a request whose client disconnects before its turn starts none; its retry does', async () => {
  const idle = await openConnections()
  const client = new AbortController()
  // The account is held, so that the admission of the request waits while its client leaves.
  const held = withTx(world.db.database, 'system', async (tx) => {
    await tx.execute(sql`select 1 from accounts where id = ${world.accountId} for update`)
    const late = world.chat(ask('Sent late'), { signal: client.signal }).catch(() => 'gone')
    await until(async () => (await waitingForLock()) > 0)
    client.abort()
    await until(async () => (await openConnections()) <= idle)
    return late
  })
  expect(await held).toBe('gone')
  await until(async () => (await atWork()) === 0)
  expect(await rows('select count(*)::int as n from runs')).toBe(0)
  const again = await call(world.service, world.key, 'POST', '/v1/chat/completions', ask('Sent late'), {
    'x-stainless-retry-count': '1',
  })
  const { x_service: service } = (await again.json()) as Completion
  expect(service.status).toBe('completed')
  expect(await rows(`select count(*)::int as n from messages where content::text like '%Sent late%'`)).toBe(1)
})
