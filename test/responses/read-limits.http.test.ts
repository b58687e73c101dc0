import { type IncomingMessage, request as open } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { rows } from '../support/full.ts'
import { reply } from '../support/upstream-scripts.ts'
import { ask, bodyOf, call } from '../support/world/requests.ts'
import { makeOwner } from '../support/world/things.ts'
import { useWorld } from '../support/world/world.ts'

let owner: { readonly key: string }
let other: { readonly key: string }
let sessionId: string
let runId: string
/** Of a page that does not fit into the buffers of a connection. */
let longPath: string

const world = useWorld({ script: () => reply('An answer.') })
beforeAll(async () => {
  owner = await makeOwner(world.db)
  other = await makeOwner(world.db)
  const answer = await bodyOf(call(world.service, owner.key, 'POST', '/v1/chat/completions', ask('Why joy?')))
  ;({ session_id: sessionId, run_id: runId } = answer.x_service)
  const { id } = await bodyOf(call(world.service, owner.key, 'POST', '/v1/conversations', {}))
  // A page has at least one item, however long; JSON writes six bytes for each of these characters.
  const content = Array(2).fill({ type: 'input_text', text: '\u0001'.repeat(950_000) })
  const path = `/v1/conversations/${id}/items`
  const added = await call(world.service, owner.key, 'POST', path, { items: [{ role: 'user', content }] })
  expect(added.status).toBe(200)
  longPath = path
})

type Read = { readonly method: string; readonly path: string; readonly body?: object }

const statusesOf = ({ method, path, body }: Read, count: number, key = owner.key) =>
  Promise.all(
    Array.from({ length: count }, async () => (await call(world.service, key, method, path, body)).status),
  )

const reads = rows<readonly [string, () => Read]>(
  [
    [
      'items',
      () => ({ method: 'GET', path: `/v1/conversations/${sessionId.replace('sess_', 'conv_')}/items` }),
    ],
  ],
  [
    [
      'tokens',
      () => ({
        method: 'POST',
        path: '/v1/responses/input_tokens',
        body: { model: 'service', input: 'joy' },
      }),
    ],
    ['messages', () => ({ method: 'GET', path: `/v1/agent/sessions/${sessionId}/messages` })],
    ['runs', () => ({ method: 'GET', path: `/v1/agent/sessions/${sessionId}/runs` })],
    [
      'input items',
      () => ({ method: 'GET', path: `/v1/responses/${runId.replace('run_', 'resp_')}/input_items` }),
    ],
  ],
)

test.each(reads)(
  'an account reads %s while it has four unread replies or fewer, and 100 wait',
  async (_, read) => {
    const unread = await Promise.all(Array.from({ length: 4 }, () => beginReading(longPath)))
    const statuses: number[] = []
    const all = Promise.all(
      Array.from({ length: 110 }, async () => statuses.push(...(await statusesOf(read(), 1)))),
    )
    await expect.poll(() => statuses.length).toBeGreaterThanOrEqual(10)
    expect(await statusesOf(read(), 1, owner.key)).toEqual([429])
    expect(await statusesOf({ method: 'GET', path: '/v1/agent/sessions' }, 3, other.key)).toEqual([
      200, 200, 200,
    ])
    expect(statuses).toEqual(Array(10).fill(429))
    for (const reading of unread) reading.destroy()
    await all
    expect(statuses.slice(10)).toEqual(Array(100).fill(200))
  },
)

/** A reply whose body nobody reads. */
function beginReading(path: string): Promise<IncomingMessage> {
  const { hostname, port } = new URL(world.service.url)
  const headers = { authorization: `Bearer ${owner.key}` }
  return new Promise((resolve, reject) => {
    open({ hostname, port, path, headers, agent: false }, resolve).once('error', reject).end()
  })
}
