import { pino } from 'pino'
import { expect, test } from 'vitest'
import {
  keepPresence,
  openReplica,
  presenceSession,
  replicaHasEnded,
} from '../../../src/turns/replicas/presence.ts'
import { openSignals } from '../../../src/turns/replicas/signals.ts'
import { useStore } from '../../support/world/store.ts'

/** How a replica is seen by the others. */

const { db } = useStore()

const log = pino({ level: 'silent' })
const ended = (replica: string) => replicaHasEnded(db.database.system, replica)
const rowOf = async (replica: string) =>
  (
    await db.database.systemPool.query<{ unlocked: boolean }>(
      'select unlocked_at is not null as unlocked from replicas where id = $1',
      [replica],
    )
  ).rows[0]

test('a replica lives as long as its listening connection holds its lock', async () => {
  expect(await ended('replica_a')).toBe(true)
  const signals = openSignals(db.database.system, db.url, log, { session: presenceSession('replica_a') })
  await expect.poll(() => ended('replica_a')).toBe(false)
  expect(await ended('replica_b')).toBe(true)
  await signals.close()
  await expect.poll(() => ended('replica_a')).toBe(true)
})

test('a replica that has lost its lock and says so lives for the length of a lease', async () => {
  const say = (seconds: number) =>
    db.database.systemPool.query(
      `insert into replicas (id, seen_at, unlocked_at)
       values ('replica_c', now(), now() - make_interval(secs => $1))
       on conflict (id) do update set unlocked_at = excluded.unlocked_at`,
      [seconds],
    )
  await say(1)
  expect(await ended('replica_c')).toBe(false)
  await say(16)
  expect(await ended('replica_c')).toBe(true)
})

test('a replica says in its heartbeat whether it lives without its lock', async () => {
  let locked = false
  const presence = keepPresence(db.database, {
    replica: 'replica_g',
    locked: () => locked,
    outage: { failed: () => undefined, works: () => undefined },
  })
  await expect.poll(async () => (await rowOf('replica_g'))?.unlocked).toBe(true)
  expect([presence.clientsAt(), await ended('replica_g')]).toEqual([null, false])
  locked = true
  presence.changed()
  await expect.poll(async () => (await rowOf('replica_g'))?.unlocked).toBe(false)
  await expect.poll(presence.clientsAt).toBe('replica_g')
  // Of this test nobody holds the lock.
  expect(await ended('replica_g')).toBe(true)
  await presence.stop()
})

test('of the replicas that live, one leads, and the next one when it ends', async () => {
  await db.database.systemPool.query('delete from replicas')
  const replicas = ['replica_e', 'replica_f'].map((name) => openReplica(db.database, name, log))
  const leading = () => Promise.all(replicas.map((replica) => replica.leads()))
  await Promise.all(replicas.map(({ seen }) => seen))
  expect(await leading()).toEqual([true, false])
  await replicas[0]?.close()
  await expect.poll(() => replicas[1]?.leads()).toBe(true)
  await replicas[1]?.close()
})

test('a replica whose listening connection is lost takes its lock again', async () => {
  const replica = openReplica(db.database, 'replica_d', log)
  await expect.poll(() => replica.clientsAt()).toBe('replica_d')
  expect(await ended('replica_d')).toBe(false)
  await db.database.systemPool.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = 720311504`,
  )
  await expect.poll(() => replica.signals.listening()).toBe(false)
  await expect.poll(() => replica.signals.listening()).toBe(true)
  expect(await ended('replica_d')).toBe(false)
  await replica.close()
})
