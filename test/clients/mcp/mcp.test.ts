import { execFile } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { createMCPClient } from '@ai-sdk/mcp'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { MCPClient } from '@mastra/mcp'
import { MCPServerStreamableHttp } from '@openai/agents'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { book } from '../support/questions.ts'
import { type ClientWorld, openClientWorld } from '../support/world.ts'

/** Clients and test suites of the Model Context Protocol, unmodified, against `/mcp`. */

let world: ClientWorld
let url: string
let key: string
let headers: Readonly<Record<string, string>>

beforeAll(async () => {
  world = await openClientWorld()
  const place = await world.place()
  url = place.baseUrl.replace(/\/v1$/, '/mcp')
  key = place.key
  headers = { authorization: `Bearer ${key}` }
})
afterAll(async () => {
  expect(await world.close()).toEqual([])
})

const bin = (name: string) => path.join(import.meta.dirname, 'node_modules/.bin', name)

/** Runs a program of this folder; its exit code does not throw. */
async function run(program: string, ...words: readonly string[]) {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [bin(program), ...words], {
      timeout: 80_000,
    })
    return { code: 0, stdout }
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string }
    return { code, stdout: stdout + stderr }
  }
}

const tools = ['ask', 'fetch', 'find_parallels', 'list_works', 'resolve_ref', 'search', 'verify_quotations']
const answer = 'The Gate says'

describe('agent frameworks', () => {
  test('the AI SDK lists the tools, fetches a passage and asks', async () => {
    const client = await createMCPClient({ transport: { type: 'http', url, headers } })
    try {
      const offered = await client.tools()
      expect(Object.keys(offered).sort()).toEqual(tools)
      const call = async (name: string, input: object) =>
        JSON.stringify(await offered[name]?.execute?.(input, { toolCallId: 'a', messages: [] } as never))
      expect(await call('fetch', { id: book.ref })).toContain('A small lamp')
      expect(await call('ask', { question: 'What does the Gate teach? (ai)' })).toContain(answer)
    } finally {
      await client.close()
    }
  })

  test('LangChain lists the tools, fetches a passage and asks', async () => {
    const client = new MultiServerMCPClient({ library: { transport: 'http', url, headers } })
    try {
      const offered = await client.getTools()
      expect(offered.map(({ name }) => name).sort()).toEqual(tools)
      const call = async (name: string, input: object) =>
        JSON.stringify(await offered.find((tool) => tool.name === name)?.invoke(input))
      expect(await call('fetch', { id: book.ref })).toContain('A small lamp')
      expect(await call('ask', { question: 'What does the Gate teach? (langchain)' })).toContain(answer)
    } finally {
      await client.close()
    }
  })

  test('Mastra lists the tools, fetches a passage and asks', async () => {
    const client = new MCPClient({ servers: { library: { url: new URL(url), requestInit: { headers } } } })
    try {
      const offered = await client.listTools()
      expect(Object.keys(offered).sort()).toEqual(tools.map((name) => `library_${name}`))
      const call = async (name: string, input: object) =>
        JSON.stringify(await offered[`library_${name}`]?.execute?.(input, {} as never))
      expect(await call('fetch', { id: book.ref })).toContain('A small lamp')
      expect(await call('ask', { question: 'What does the Gate teach? (mastra)' })).toContain(answer)
    } finally {
      await client.disconnect()
    }
  })

  test("OpenAI's agents list the tools, fetch a passage and ask", async () => {
    const server = new MCPServerStreamableHttp({ url, name: 'library', requestInit: { headers } })
    await server.connect()
    try {
      expect((await server.listTools()).map(({ name }) => name).sort()).toEqual(tools)
      const call = async (name: string, input: Record<string, unknown>) =>
        JSON.stringify(await server.callTool(name, input))
      expect(await call('fetch', { id: book.ref })).toContain('A small lamp')
      expect(await call('ask', { question: 'What does the Gate teach? (agents)' })).toContain(answer)
    } finally {
      await server.close()
    }
  })
})

describe("the inspector's command line", () => {
  const inspect = (...words: readonly string[]) =>
    run(
      'mcp-inspector',
      '--cli',
      url,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${key}`,
      ...words,
    )

  test('lists the tools without a portability problem', async () => {
    const listed = await inspect('--method', 'tools/list', '--strict')
    expect(listed.stdout).toContain('verify_quotations')
    expect(listed.code).toBe(0)
  })

  test('calls a tool, reads a resource and gets a prompt', async () => {
    const found = await inspect('--method', 'tools/call', '--tool-name', 'search', '--tool-arg', 'query=lamp')
    expect(found.stdout).toContain(book.ref)
    const uri = `library://passage/${encodeURIComponent(book.ref)}`
    expect((await inspect('--method', 'resources/read', '--uri', uri)).stdout).toContain('A small lamp')
    const prompt = [
      '--method',
      'prompts/get',
      '--prompt-name',
      'source_sheet',
      '--prompt-args',
      'topic=light',
    ]
    expect((await inspect(...prompt)).stdout).toContain('source sheet')
  })
})

/**
 * The scenarios of the conformance suite that need no tool, resource or prompt of its own reference server, and no
 * capability that this server does not declare (logging, subscriptions).
 */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
]

test.each(scenarios)('the conformance suite passes: %s', async (scenario) => {
  const proxy = await withKey()
  try {
    const { code, stdout } = await run('conformance', 'server', '--url', proxy.url, '--scenario', scenario)
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('FAILURE')])
  } finally {
    await proxy.close()
  }
})

/** A proxy that adds the key, because the suite cannot send one. */
async function withKey(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((from, to) => {
    const passed = request(
      url,
      { method: from.method, headers: { ...from.headers, ...headers } },
      (reply) => {
        to.writeHead(reply.statusCode ?? 500, reply.headers)
        reply.pipe(to)
      },
    )
    from.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}
