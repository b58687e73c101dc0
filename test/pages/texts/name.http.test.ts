import { expect, test } from 'vitest'
import { openVisitor } from '../../support/visitor.ts'
import { makeAccount, makeKey } from '../../support/world/accounts.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

const world = useWorld(unhurried)

const titleOf = async (response: Response) => /<title>.*· ([^<]*)</.exec(await response.text())?.[1]

test('the product has its own name, in the language of the reader', async () => {
  const visitor = openVisitor(world.service)
  expect(await titleOf(await visitor.get('/signin'))).toBe('Meduyak')
  expect(await titleOf(await visitor.get('/signin', { 'accept-language': 'he' }))).toBe('מדויק')
  const api = (await (await fetch(`${world.service.url}/openapi.json`)).json()) as { info: { title: string } }
  expect(api.info.title).toBe('Meduyak')
})

test('APP_NAME names the product on pages, in the API description and for MCP clients', async () => {
  const named = await world.start({ appName: 'Beit <Midrash>' })
  try {
    const page = await openVisitor(named).get('/docs', { 'accept-language': 'he' })
    expect(await titleOf(page)).toBe('Beit &lt;Midrash&gt;')
    const api = (await (await fetch(`${named.url}/openapi.json`)).json()) as { info: { title: string } }
    expect(api.info.title).toBe('Beit <Midrash>')
    const account = await makeAccount(world.db.database, 'pro')
    const key = await makeKey(world.db.database, account.id, { reach: { kind: 'owner' } })
    const answer = await fetch(`${named.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      }),
    })
    expect(await answer.text()).toContain('"title":"Beit <Midrash>"')
  } finally {
    await named.stop()
  }
})
