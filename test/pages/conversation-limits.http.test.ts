import { beforeAll, expect, test } from 'vitest'
import { isShort, rows } from '../support/full.ts'
import { reply } from '../support/upstream-scripts.ts'
import { openVisitor, signedUp, type TestVisitor } from '../support/visitor.ts'
import { newPerson } from '../support/world/person.ts'
import { ask, bodyOf, call } from '../support/world/requests.ts'
import { ownerKey } from '../support/world/things.ts'
import { useWorld } from '../support/world/world.ts'

let owner: TestVisitor
let other: TestVisitor
let turn: { readonly session_id: string; readonly run_id: string }

const world = useWorld({ script: () => reply('An answer.'), web: { signUpPlan: 'pro' } })
beforeAll(async () => {
  const { visitor, accountId } = await newPerson(world, 'many@example.org')
  owner = visitor
  other = await signedUp(world.service, 'other@example.org')
  const key = await ownerKey(world.db, accountId)
  const answer = await bodyOf(call(world.service, key, 'POST', '/v1/chat/completions', ask('Why joy?')))
  turn = answer.x_service
})

const open = async (visitor: TestVisitor, path: string, count: number): Promise<readonly number[]> =>
  (await Promise.all(Array.from({ length: count }, () => visitor.get(path)))).map(({ status }) => status)

const pages = rows<readonly [string, () => string]>(
  [['a conversation', () => `/sessions/${turn.session_id}`]],
  [
    ['a run', () => `/runs/${turn.run_id}`],
    ['a turn', () => `/runs/${turn.run_id}/turn`],
  ],
)

test.each(pages)(
  'an account that opens the page of %s very often at once is refused, and nobody else',
  async (_, path) => {
    const [statuses, others] = await Promise.all([open(owner, path(), 160), open(other, '/ask', 3)])
    expect(statuses).toContain(429)
    expect(others).toEqual([200, 200, 200])
    expect(await open(owner, path(), 20)).toEqual(Array(20).fill(200))
  },
)

test.skipIf(isShort)(
  'readers of a public link very often at once are refused, and not its owner',
  async () => {
    await owner.post(`/sessions/${turn.session_id}/share`, {})
    const page = await (await owner.get(`/sessions/${turn.session_id}`)).text()
    const path = /\/shared\/[\w-]{43}/.exec(page)?.[0] ?? ''
    const [statuses, own] = await Promise.all([
      open(openVisitor(world.service), path, 250),
      open(owner, `/sessions/${turn.session_id}`, 3),
    ])
    expect(statuses).toContain(429)
    expect(own).toEqual([200, 200, 200])
  },
)
