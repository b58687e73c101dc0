import { beforeAll, expect, test } from 'vitest'
import { builtInPlans, type Plans } from '../../src/accounts/plans.ts'
import { isShort } from '../support/full.ts'
import { reply } from '../support/upstream-scripts.ts'
import { openVisitor } from '../support/visitor.ts'
import { call, question } from '../support/world/requests.ts'
import { useWorld, type World } from '../support/world/world.ts'

const plans: Plans = {
  names: builtInPlans.names,
  of: (name) => ({ ...builtInPlans.of(name), requestsPerMinute: 1e9, turnsPerMinute: 1e9 }),
}

let { service, key } = {} as World

const world = useWorld({
  plans,
  plan: 'unlimited',
  // Behind a proxy, so that the flood comes from as many addresses as it likes.
  trustProxy: 1,
  script: reply('An answer.'),
})
beforeAll(async () => {
  ;({ service, key } = world)
})

const attempt = (n: number) =>
  openVisitor(service).post(
    '/signin',
    { email: `person-${n}@example.org`, password: 'a wrong password' },
    {
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`,
    },
  )

async function timeOfTurn(): Promise<number> {
  const began = performance.now()
  const response = await call(service, key, 'POST', '/v1/chat/completions', question('What is joy?'))
  expect(response.status).toBe(200)
  await response.text()
  return performance.now() - began
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function turns(count: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let n = 0; n < count; n += 1) times.push(await timeOfTurn())
  return times
}

test.skipIf(isShort)(
  'a flood of sign-ins from everywhere is turned away in words beyond a bound, and turns are answered meanwhile',
  async () => {
    await turns(5)
    const calm = median(await turns(20))
    const flood = Promise.all(Array.from({ length: 250 }, (_, n) => attempt(n)))
    const busy = median(await turns(20))
    const replies = await flood
    const byStatus = Map.groupBy(replies, ({ status }) => status)
    // Told, not asserted: how long things take is the machine's affair.
    process.stdout.write(
      `a turn takes ${(busy / calm).toFixed(1)} times as long under the flood (${calm.toFixed(1)} ms, ${busy.toFixed(1)} ms)\n`,
    )
    expect([...byStatus.keys()].toSorted()).toEqual([400, 503])
    const refused = byStatus.get(503) ?? []
    expect(refused.length).toBeGreaterThan(20)
    expect(refused[0]?.headers.get('retry-after')).toBe('5')
    expect(await refused[0]?.text()).toContain('Too many people are signing in')
  },
)

test('one address has a hundred sign-ins in 15 minutes over all accounts', async () => {
  const statuses: number[] = []
  for (let n = 0; n < 105; n += 1) {
    const fields = { email: `other-${n}@example.org`, password: 'a wrong password' }
    const headers = { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': '192.0.2.7' }
    statuses.push((await openVisitor(service).post('/signin', fields, headers)).status)
  }
  expect(statuses.filter((status) => status === 400)).toHaveLength(100)
  expect(statuses.slice(100)).toEqual([429, 429, 429, 429, 429])
})
