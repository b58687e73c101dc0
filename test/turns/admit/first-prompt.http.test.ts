import { expect, test } from 'vitest'
import { makeKey } from '../../support/world/accounts.ts'
import { bodyOf, call, question } from '../../support/world/requests.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

const world = useWorld({ ...unhurried })

const keyWith = (totalCapMicros: bigint) =>
  makeKey(world.db.database, world.accountId, { settings: { totalCapMicros } })

async function ask(key: string, fields: object = {}) {
  const before = world.upstream.requests.length
  const body = { ...question('What is joy?'), ...fields }
  const { error, x_service, choices } = await bodyOf(
    call(world.service, key, 'POST', '/v1/chat/completions', body),
  )
  return {
    error,
    x_service,
    text: choices?.[0].message.content,
    calls: world.upstream.requests.length - before,
  }
}

const longTool = {
  type: 'function',
  function: {
    name: 'of_client',
    description: 'x'.repeat(48_000),
    parameters: { type: 'object', properties: {} },
  },
}

test('a key whose cap is below the first prompt with the client’s tools is refused before anything runs', async () => {
  const key = await keyWith(3_000_000n)
  expect(await ask(key, { tools: [longTool] })).toMatchObject({
    error: { code: 'key_cap_reached' },
    calls: 0,
  })
  expect(await ask(key)).toMatchObject({ error: undefined, calls: 1 })
})

test('a turn is either refused, or its first call is covered by what it holds', async () => {
  // The prompt of this service, its tools and the question cost between 2.0 and 2.1 credits with a reply of 4,000 tokens.
  for (const cap of [
    1_990_000n,
    2_010_000n,
    2_030_000n,
    2_040_000n,
    2_050_000n,
    2_060_000n,
    2_100_000n,
    2_200_000n,
  ]) {
    const { error, text, calls } = await ask(await keyWith(cap))
    expect([error?.code ?? text, calls], `cap ${cap}`).toEqual(
      error ? ['key_cap_reached', 0] : [expect.not.stringContaining('reached'), 1],
    )
  }
})
