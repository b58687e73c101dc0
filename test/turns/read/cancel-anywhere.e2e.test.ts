import { beforeAll, expect, test } from 'vitest'
import { callTools, gate } from '../../support/upstream-scripts.ts'
import { LiveStream } from '../../support/world/live-stream.ts'
import { ask, call } from '../../support/world/requests.ts'
import { type PairWorld, useWorld } from '../../support/world/world.ts'

let { db, upstream, service, other, key } = {} as PairWorld

// The address of a database is only used for listening: these hear no signal, ever.
const deaf = 'postgres://nobody@127.0.0.1:9/none'
const world = useWorld({ replicas: 2, connect: ({ database }) => ({ ...database, url: deaf }) })
beforeAll(() => {
  ;({ db, upstream, service, other, key } = world)
})

test('without signals a cancel stops the turn on another replica', async () => {
  const held = gate()
  for (let round = 0; round < 3; round += 1) {
    const index = upstream.requests.length
    upstream.enqueue(callTools([{ name: 'list_files', arguments: {} }], { text: 'Let me see.' }), [
      { text: 'And now' },
      { waitFor: held.opened },
      { text: ' never said.' },
    ])
    const response = await call(service, key, 'POST', '/v1/chat/completions', {
      ...ask(`Question ${round}`),
      stream: true,
    })
    const stream = new LiveStream(response)
    await stream.until('And now')
    const runId = response.headers.get('x-service-run-id') ?? ''
    expect((await call(other, key, 'POST', `/v1/agent/runs/${runId}/cancel`)).status).toBe(200)
    expect(await upstream.requests[index + 1]?.ended).toBe('cut')
    expect(await stream.rest()).toContain('run_cancelled')
    const { rows } = await db.database.systemPool.query(
      `select r.status, r.step_count as steps, (select (-allowance_micros - granted_micros)::text from ledger
        where run_id = r.id and kind = 'charge') = (select sum(cost_micros)::text from run_log where run_id = r.id)
        as charged from runs r where r.id = $1`,
      [runId],
    )
    expect(rows).toEqual([{ status: 'cancelled', steps: 3, charged: true }])
  }
  held.open()
})

test('without signals a queued turn is claimed when the one before it has ended', async () => {
  const first = gate()
  upstream.enqueue([{ text: 'One.' }, { waitFor: first.opened }], [{ text: 'Two.' }])
  const session = (await (await call(service, key, 'POST', '/v1/agent/sessions', {})).json()) as {
    id: string
  }
  const inSession = (text: string) => ask(text, { x_service: { session_id: session.id }, stream: true })
  const path = '/v1/chat/completions'
  const scoped = await call(service, key, 'POST', path, inSession('A'))
  const one = new LiveStream(scoped)
  await one.until('One.')
  const two = new LiveStream(await call(other, key, 'POST', path, inSession('B')))
  first.open()
  await two.until('Two.')
  await Promise.all([one.rest(), two.rest()])
})
