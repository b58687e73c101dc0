import { createServer, type Server } from 'node:http'
import {
  createMcpHandler,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { ServerEntry } from '../../src/mcp-servers/servers-file.ts'
import { close, listenAt } from './loopback.ts'

/** An MCP server of somebody else, on loopback. */
export type OutsideWorld = {
  readonly url: string
  /** Headers and bodies of all requests. */
  readonly requests: { readonly headers: Readonly<Record<string, unknown>>; readonly body: string }[]
  /** What its tool `weather` answers. */
  answer: () => Promise<unknown>
  /** While it is down, it closes each connection without a reply. */
  down: boolean
  close(): Promise<void>
}

/**
 * Starts a server with the tools `weather` and `hidden`, and one whose name no model's API accepts.
 * @param era `2025`: it knows only the revisions of 2025.
 */
export async function startOutsideServer(era: '2026' | '2025' = '2026'): Promise<OutsideWorld> {
  const world: { -readonly [K in keyof OutsideWorld]: OutsideWorld[K] } = {
    url: '',
    requests: [],
    answer: async () => ({ content: [{ type: 'text', text: 'It is sunny.' }] }),
    down: false,
    close: () => close(server),
  }
  const modern = createMcpHandler(() => mcpServer(() => world.answer()))
  const legacy = async (request: Request) => {
    const transport = new WebStandardStreamableHTTPServerTransport({})
    await mcpServer(() => world.answer()).connect(transport)
    return transport.handleRequest(request)
  }
  const answerTo = era === '2026' ? modern.fetch : legacy
  const server: Server = createServer(async (request, response) => {
    if (world.down) return void request.socket.destroy()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    world.requests.push({ headers: request.headers, body })
    const stopped = new AbortController()
    response.on('close', () => stopped.abort())
    const reply = await answerTo(
      new Request(`http://${request.headers.host}/mcp`, {
        method: request.method ?? 'POST',
        headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ...(request.method === 'POST' && { body }),
        signal: stopped.signal,
      }),
    )
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    try {
      for await (const chunk of reply.body ?? []) response.write(chunk)
    } catch {
      // The client has gone.
    }
    response.end()
  })
  world.url = `${await listenAt(server)}/mcp`
  return world
}

function mcpServer(answer: () => Promise<unknown>): McpServer {
  const server = new McpServer({ name: 'outside', version: '1' })
  const inputSchema = z.object({ city: z.string() })
  server.registerTool(
    'weather',
    { description: 'The weather of a city.', inputSchema },
    () => answer() as never,
  )
  server.registerTool('hidden', { description: 'Not on the list.', inputSchema }, () => answer() as never)
  server.registerTool(
    'far.away',
    { description: 'Its name has a dot, which models do not accept.', inputSchema },
    () => answer() as never,
  )
  return server
}

/** An entry of the file of `MCP_SERVERS`. */
export function outsideEntry(
  url: string,
  { headers = {}, ...changed }: Partial<ServerEntry> & { readonly headers?: Record<string, string> } = {},
): ServerEntry {
  return {
    name: 'sky',
    at: { kind: 'http', url, headers },
    tools: ['weather'],
    timeoutMs: 20_000,
    maxResultBytes: 24 * 1024,
    plans: undefined,
    priceMicros: undefined,
    ...changed,
  }
}
