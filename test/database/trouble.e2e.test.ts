import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { isShort, rows } from '../support/full.ts'
import { ask, call } from '../support/world/requests.ts'
import { outcomeOf, type Seen, undisturbed } from '../support/world/trouble.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld({ trouble: true, plan: 'unlimited' })
afterEach(async () => {
  expect(await world.broken()).toEqual([])
  expect(world.uncaught).toEqual([])
})

const quick = () =>
  call(world.other, world.key, 'POST', '/v1/chat/completions', ask('Quick'), {
    'idempotency-key': `quick-${performance.now()}`,
  })

/** Kills every connection of both replicas, until so many have died. */
async function killConnections(count: number): Promise<void> {
  for (let killed = 0; killed < count; killed += await world.postgres.killConnections()) await delay(200)
}

async function stopFor(seconds: number): Promise<void> {
  await world.postgres.stop('fast')
  await delay(seconds * 1_000)
  await world.postgres.start()
}

/** Figures for the reader of the log: how long after `end` a request worked, and what the others were answered. */
function recovery(seen: readonly Seen[], end: number) {
  const refused = seen.filter(({ status }) => status !== 200)
  const first = seen.find(({ status, sentAt }) => status === 200 && sentAt > end)
  return {
    backAfterMs: Math.round((first?.sentAt ?? Number.POSITIVE_INFINITY) + (first?.tookMs ?? 0) - end),
    slowestRefusalMs: Math.round(Math.max(0, ...refused.map(({ tookMs }) => tookMs))),
    refusals: refused.length,
    codes: [...new Set(refused.map(({ status, code, retryAfter }) => `${status} ${code} ${retryAfter}`))],
  }
}

const patient = { interval: 100 }

/** What happens to Postgres, and how many requests are refused meanwhile at least. */
const troubles = rows<readonly [string, () => Promise<void>, number]>(
  [
    ['crashes and comes back', () => world.postgres.restart('immediate'), 0],
    ['is away for six seconds', () => stopFor(6), 2],
  ],
  [
    ['is restarted at once', () => world.postgres.restart('fast'), 0],
    ['loses every connection five times a second', () => killConnections(60), 0],
  ],
)

test.each(troubles)(
  'when Postgres %s, turns go on and are charged once, and requests get a 503',
  async (name, bring, leastRefusals) => {
    const turns = await Promise.all([world.startTurn(), world.startTurn(), world.startTurn()])
    const { seen, stop } = world.watch(quick)
    await bring()
    const end = performance.now()
    await expect
      .poll(() => seen.some(({ status, sentAt }) => status === 200 && sentAt > end), patient)
      .toBe(true)
    await stop()
    process.stdout.write(`${name}: ${JSON.stringify(recovery(seen, end))}\n`)
    for (const turn of turns) expect(await outcomeOf(world, turn)).toEqual(undisturbed)
    for (const { status, code, retryAfter } of seen.filter(({ status }) => status !== 200))
      expect([status, code, retryAfter]).toEqual([503, 'database_unavailable', '2'])
    // While it was away, requests were answered and did not wait for it.
    const answered = seen.filter(({ status, sentAt, tookMs }) => status === 503 && sentAt + tookMs < end)
    expect(answered.length).toBeGreaterThanOrEqual(leastRefusals)
  },
)

test.skipIf(isShort)('after an outage longer than a lease, owners keep their runs', async () => {
  const turns = await Promise.all([world.startTurn(), world.startTurn()])
  await stopFor(17)
  for (const turn of turns) expect(await outcomeOf(world, turn)).toEqual(undisturbed)
})
