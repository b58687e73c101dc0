import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'
import { readServersFile, requirePlans } from '../../src/mcp-servers/servers-file.ts'
import { useFolder } from '../support/folder.ts'

const folder = useFolder()

async function read(text: string, env: Record<string, string> = {}) {
  const file = path.join(folder, 'servers')
  await writeFile(file, text)
  const { mcpServers } = readConfig({ ...env, MCP_SERVERS: file })
  if (!mcpServers) throw new Error('MCP_SERVERS was not read')
  return readServersFile(mcpServers)
}

const one = { name: 'sky', url: 'https://sky.example/mcp', tools: '*' }
const json = (changed: object) => JSON.stringify({ servers: [{ ...one, ...changed }] })

test('without MCP_SERVERS there are no outside servers', () => {
  expect(readConfig({}).mcpServers).toBeUndefined()
})

test('a file in YAML gives entries with defaults, and headers with values of the environment', async () => {
  const yaml = `
servers:
  - name: sky
    url: https://sky.example/mcp
    headers: { Authorization: "Bearer \${SKY_TOKEN}" }
    tools: [weather]
    plans: [pro]
    price_credits: 0.25
`
  expect(await read(yaml, { SKY_TOKEN: 'secret-of-sky' })).toEqual([
    {
      name: 'sky',
      at: {
        kind: 'http',
        url: 'https://sky.example/mcp',
        headers: { Authorization: 'Bearer secret-of-sky' },
      },
      tools: ['weather'],
      timeoutMs: 20_000,
      maxResultBytes: 24 * 1024,
      plans: ['pro'],
      priceMicros: 250_000n,
    },
  ])
})

test('a server that is a program gets its variables from the environment', async () => {
  const entry = {
    name: 'sky',
    command: 'sky',
    args: ['--quiet'],
    env: { TOKEN: `$${'{SKY_TOKEN}'}` },
    tools: '*',
  }
  const [server] = await read(JSON.stringify({ servers: [entry] }), { SKY_TOKEN: 'secret-of-sky' })
  expect(server?.at).toEqual({
    kind: 'process',
    command: 'sky',
    args: ['--quiet'],
    env: { TOKEN: 'secret-of-sky' },
  })
})

test.each([
  [json({ name: 'a__b' }), 'servers.0.name: must be at most 32 letters'],
  [json({ url: 'ftp://x' }), 'servers.0.url: must be a URL'],
  [json({ url: 'https://me:password@x.example' }), 'servers.0.url: must not hold a user name'],
  [json({ tools: undefined }), 'servers.0.tools: must be a list of names of tools, or "*"'],
  [json({ timeout_seconds: 121 }), 'servers.0.timeout_seconds'],
  [json({ colour: 1 }), 'servers.0: Unrecognized key: "colour"'],
  [json({ headers: { A: `$${'{NO_SUCH}'}` } }), 'servers.0.headers.A: the environment has no NO_SUCH'],
  [json({ command: 'sky' }), 'servers.0: needs either "url" or "command"'],
  [json({ url: undefined }), 'servers.0: needs either "url" or "command"'],
  [json({ args: ['a'] }), 'servers.0: only a server with "command" has "args" and "env"'],
  [
    json({ url: undefined, command: 'sky', headers: { A: 'b' } }),
    'servers.0.headers: only a server with "url"',
  ],
  [JSON.stringify({ servers: [one, one] }), 'servers: each server needs another name'],
  ['servers:\n  - [', 'line 2 is not YAML or JSON'],
])('the start refuses the file %s', async (text, message) => {
  const refusal = read(text)
  await expect(refusal).rejects.toThrow(ConfigError)
  await expect(refusal).rejects.toThrow(`MCP_SERVERS ${path.join(folder, 'servers')} cannot be used: `)
  await expect(refusal).rejects.toThrow(message)
})

test('a message about a wrong file quotes no secret in it', async () => {
  const broken = 'servers:\n  - headers: { Authorization: "Bearer hidden-token }\n'
  await expect(read(broken)).rejects.not.toThrow('hidden-token')
  const twoLines = json({ headers: { A: `$${'{SKY_TOKEN}'}` } })
  const refusal = read(twoLines, { SKY_TOKEN: 'hidden-token\nx: y' })
  await expect(refusal).rejects.toThrow('servers.0.headers.A: must be printable')
  await expect(refusal).rejects.not.toThrow('hidden-token')
})

test('a plan that does not exist is refused', async () => {
  const servers = await read(json({ plans: ['pro', 'gold'] }))
  expect(() => requirePlans(servers, ['free', 'pro'])).toThrow('the plan "gold", which does not exist')
  expect(() => requirePlans(servers, ['gold', 'pro'])).not.toThrow()
})
