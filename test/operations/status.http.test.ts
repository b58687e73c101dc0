import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { adviceFor } from '../../src/commands/status/advice.ts'
import type { Status } from '../../src/commands/status/read-status.ts'
import { runLine } from '../support/command-line.ts'
import { bodyOf, call, question } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld({ script: [{ text: 'An answer.' }] })

type Rows = Readonly<Record<string, Readonly<Record<string, unknown>>>>
const rows = async (env = {}) => JSON.parse(await runLine(world.db, ['status', '--json'], env)) as Rows

test('the status counts living replicas, runs of the last hour and given-up deliveries', async () => {
  await bodyOf(call(world.service, world.key, 'POST', '/v1/chat/completions', question('one')))
  const { system } = world.db.database
  await system.execute(sql`insert into webhook_endpoints (id, account_id, url, events, pepper_version)
    values ('whk_1', ${world.accountId}, 'https://example.org/', '{}', 1)`)
  await system.execute(sql`insert into webhook_deliveries (endpoint_id, account_id, event, type, subject, body, due_at)
    values ('whk_1', ${world.accountId}, 'e', 't', 's', '{}', null), ('whk_1', ${world.accountId}, 'e', 't', 's', '{}', now())`)
  const status = await rows()
  expect(status).toMatchObject({
    replicas: [{ id: expect.any(String), since: expect.any(String) }],
    runs: { ended_last_hour: 1, failed_last_hour: 0, in_progress: 0, queued: 0 },
    credits_held: '0',
    webhooks: { endpoints: 1, failed_last_day: 1 },
    library: { database: 'main', semantic: null },
    mail: false,
    disk: null,
  })
})

test('the status names a model server that takes no connection, and prints it for people', async () => {
  const env = { MODEL_BASE_URL: 'http://127.0.0.1:9/v1', MODEL_NAME: 'gone' }
  const status = await rows(env)
  expect(status['models']).toMatchObject([
    { id: 'service', servers: [{ server: 'gone', reachable: false, reason: expect.stringMatching(/./) }] },
    { id: 'service-lite' },
  ])
  const screen = await runLine(world.db, ['status'], env)
  expect(screen).toContain('service: gone does not answer')
  expect(screen.split('\n').length).toBeLessThan(24)
})

const well: Status = {
  database: { version: '17', bytes: 1, connections: 5, startedAt: new Date(), answerMs: 1 },
  figures: {
    endedLastHour: 100,
    failedLastHour: 4,
    heldMicros: 0n,
    connectionsAllowed: 100,
    files: { count: 0, bytes: 0, inBucket: 0 },
    webhooks: { endpoints: 0, due: 0, oldestDueSeconds: null, failed: 0 },
  },
  check: { checkedAt: new Date(), broken: [], unchecked: [] },
  replicas: [{ id: 'a', since: new Date() }],
  queue: {
    inProgress: 0,
    queued: 0,
    orphaned: 0,
    oldestQueuedSeconds: null,
    oldestRunningSeconds: null,
    replicas: [],
  },
  models: [
    { id: 'service', servers: [{ model: 'service', server: 's', url: 'http://s', reason: undefined }] },
  ],
  library: {
    separate: undefined,
    size: { works: 1, versions: 1, texts: 1, waitingTexts: 0 },
    semantic: undefined,
  },
  mail: false,
  metrics: false,
  disk: { bytes: 100, freeBytes: 50 },
}

test('the advice is empty when all is well', () => {
  expect(adviceFor(well)).toBe('')
})

test.each([
  ['broken rules', { check: { checkedAt: new Date(), broken: ['x'], unchecked: [] } }, 'doctor'],
  ['rules never checked', { check: undefined }, 'doctor'],
  ['no process', { replicas: [] }, 'No process'],
  ['a full disk', { disk: { bytes: 100, freeBytes: 9 } }, 'DATA_DIR'],
  ['few connections', { database: { ...well.database, connections: 95 } }, 'max_connections'],
  ['failed turns', { figures: { ...well.figures, failedLastHour: 20 } }, 'failed'],
  ['a long queue', { queue: { ...well.queue, oldestQueuedSeconds: 90 } }, 'queue'],
] as const)('the advice names %s', (_, change, words) => {
  expect(adviceFor({ ...well, ...change })).toContain(words)
})
