import { execFile } from 'node:child_process'
import { createServer, request } from 'node:http'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { createMCPClient } from '@ai-sdk/mcp'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { MCPClient } from '@mastra/mcp'
import { MCPServerStreamableHttp } from '@openai/agents'
import { beforeAll, describe, expect, test } from 'vitest'
import { close, listen } from '../../support/loopback.ts'
import { useClientWorld } from '../support/conformance.ts'
import { book } from '../support/questions.ts'

/** Clients and test suites of the Model Context Protocol, unmodified, against `/mcp`. */

const world = useClientWorld()
let url: string
let key: string
let headers: Readonly<Record<string, string>>

beforeAll(async () => {
  const place = await world().place()
  url = place.baseUrl.replace(/\/v1$/, '/mcp')
  key = place.key
  headers = { authorization: `Bearer ${key}` }
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

/** A client that has connected: the names of the tools that it lists, a call, and the end. */
type Connected = {
  readonly names: readonly string[]
  call(name: string, input: Record<string, unknown>): Promise<unknown>
  close(): Promise<void>
}

const frameworks: Readonly<Record<string, () => Promise<Connected>>> = {
  async 'the AI SDK'() {
    const client = await createMCPClient({ transport: { type: 'http', url, headers } })
    const offered = await client.tools()
    return {
      names: Object.keys(offered),
      call: async (name, input) =>
        offered[name]?.execute?.(input, { toolCallId: 'a', messages: [] } as never),
      close: () => client.close(),
    }
  },
  async LangChain() {
    const client = new MultiServerMCPClient({ library: { transport: 'http', url, headers } })
    const offered = await client.getTools()
    return {
      names: offered.map(({ name }) => name),
      call: async (name, input) => offered.find((tool) => tool.name === name)?.invoke(input),
      close: () => client.close(),
    }
  },
  async Mastra() {
    const client = new MCPClient({ servers: { library: { url: new URL(url), requestInit: { headers } } } })
    const offered = await client.listTools()
    return {
      names: Object.keys(offered).map((name) => name.replace(/^library_/, '')),
      call: async (name, input) => offered[`library_${name}`]?.execute?.(input, {} as never),
      close: () => client.disconnect(),
    }
  },
  async "OpenAI's agents"() {
    const server = new MCPServerStreamableHttp({ url, name: 'library', requestInit: { headers } })
    await server.connect()
    return {
      names: (await server.listTools()).map(({ name }) => name),
      call: (name, input) => server.callTool(name, input),
      close: () => server.close(),
    }
  },
}

test.each(Object.entries(frameworks))(
  '%s: lists the tools, fetches a passage and asks',
  async (name, connect) => {
    const client = await connect()
    try {
      expect(client.names.toSorted()).toEqual(tools)
      expect(JSON.stringify(await client.call('fetch', { id: book.ref }))).toContain('A small lamp')
      const question = `What does the Gate teach? (${name})`
      expect(JSON.stringify(await client.call('ask', { question }))).toContain('The Gate says')
    } finally {
      await client.close()
    }
  },
)

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
    const prompt = '--method prompts/get --prompt-name source_sheet --prompt-args topic=light'
    expect((await inspect(...prompt.split(' '))).stdout).toContain('source sheet')
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
  const port = await listen(server)
  return { url: `http://localhost:${port}/mcp`, close: () => close(server) }
}
