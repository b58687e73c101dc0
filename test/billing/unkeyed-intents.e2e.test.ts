import { beforeAll, expect, test } from 'vitest'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { times } from '../support/full.ts'
import { seededRandom } from '../support/random.ts'
import { reply } from '../support/scripted-upstream.ts'
import { anyCut, carryOutIntent, unkeyedClients } from '../support/unkeyed-intents.ts'
import { useWorld } from '../support/world/world.ts'

const world = useWorld({ processes: true, plan: 'unlimited' })
beforeAll(async () => {
  world.upstream.setDefault(() => reply('The answer of the model. '.repeat(20), { chunks: 4, delayMs: 5 }))
})

const intentsOfLane = times(4, 10)

test(`${6 * intentsOfLane} intents without a key, cut at any byte over two replicas, are each charged once`, async () => {
  const random = seededRandom(20_261_122)
  const replicas = [await world.start(), await world.start()]
  await expect.poll(async () => (await world.rows('select 1 from replicas where $1 = $1', '')).length).toBe(2)
  const cuts = anyCut(random.fork('cuts'))
  const proxies = await Promise.all(replicas.map(({ url }) => startCuttingProxy(url, cuts)))
  const urls = proxies.map(({ url }) => url) as [string, ...string[]]
  const { clients, close } = unkeyedClients(world.key)
  const lanes = Array.from({ length: 6 }, async (_, lane) => {
    for (let n = 0; n < intentsOfLane; n += 1) {
      const client = clients[(lane + n) % clients.length] ?? clients[0]
      await carryOutIntent(client, urls, `Intent ${lane}-${n} of ${client.name}`, random.fork(`${lane}-${n}`))
    }
  })
  await Promise.all(lanes)
  close()
  await Promise.all(proxies.map((proxy) => proxy.close()))
  const charged = await world.rows<{ question: string; charges: number; early: boolean }>(
    `select m.content->>'content' as question, count(*)::int as charges,
       max(r.created_at) <= (array_agg(r.client_closed_at order by r.created_at))[1] as early
     from ledger t join runs r on r.id = t.run_id join messages m on m.run_id = r.id and m.role = 'user'
     where t.kind = 'charge' and $1 = $1 group by 1`,
    '',
  )
  const again = charged.filter(({ charges }) => charges !== 1)
  // A busy machine may deliver the end of a connection after the retry, and of those closed after each reply not at all.
  expect(again.filter(({ question, early }) => !early && !question.includes('closed connections'))).toEqual(
    [],
  )
  expect(again.length).toBeLessThanOrEqual(1)
  expect(charged).toHaveLength(6 * intentsOfLane)
})
