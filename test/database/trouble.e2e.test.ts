import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ask, call } from '../support/world/requests.ts'
import { outcomeOf, type Seen, undisturbed } from '../support/world/trouble.ts'
import { openWorld, type TroubleWorld } from '../support/world/world.ts'

let world: TroubleWorld

beforeAll(async () => {
  world = await openWorld({ trouble: true, plan: 'unlimited' })
}, 60_000)
afterEach(async () => {
  expect(await world.broken()).toEqual([])
  expect(world.uncaught).toEqual([])
})
afterAll(() => world.close())

const quick = () =>
  call(world.other, world.key, 'POST', '/v1/chat/completions', ask('Quick'), {
    'idempotency-key': `quick-${performance.now()}`,
  })

/** Kills every connection of both replicas, again and again. */
async function killForSeconds(seconds: number): Promise<void> {
  const until = performance.now() + seconds * 1_000
  let killed = 0
  while (performance.now() < until) {
    killed += await world.postgres.killConnections()
    await delay(200)
  }
  expect(killed).toBeGreaterThan(50)
}

async function stopFor(seconds: number): Promise<void> {
  await world.postgres.stop('fast')
  await delay(seconds * 1_000)
  await world.postgres.start()
}

/** How long after `end` the first request was sent that worked, and what the others were answered. */
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

const troubles: readonly (readonly [string, () => Promise<void>])[] = [
  ['is restarted at once', () => world.postgres.restart('fast')],
  ['crashes and comes back', () => world.postgres.restart('immediate')],
  ['is gone for six seconds', () => stopFor(6)],
  ['loses every connection five times a second', () => killForSeconds(5)],
]

test.each(troubles)(
  'Postgres %s: turns go on and are charged once, new requests get a 503 until it is back',
  async (name, bring) => {
    const turns = await Promise.all([world.startTurn(), world.startTurn(), world.startTurn()])
    const stop = world.watch(quick)
    await bring()
    const end = performance.now()
    await expect.poll(async () => (await quick()).status, { timeout: 10_000, interval: 100 }).toBe(200)
    await delay(500)
    const figures = recovery(await stop(), end)
    process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`)
    for (const turn of turns) expect(await outcomeOf(world, turn)).toEqual(undisturbed)
    expect(figures.codes.filter((code) => code !== '503 database_unavailable 2')).toEqual([])
    expect(figures.slowestRefusalMs).toBeLessThan(2_000)
    expect(figures.backAfterMs).toBeLessThan(5_000)
  },
)

test('after an outage longer than a lease the owners go on, and no other replica takes their runs', async () => {
  const turns = await Promise.all([world.startTurn(), world.startTurn()])
  await stopFor(17)
  for (const turn of turns) expect(await outcomeOf(world, turn)).toEqual(undisturbed)
})
