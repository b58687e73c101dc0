import { AsyncLocalStorage } from 'node:async_hooks'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import manifest from '../../package.json' with { type: 'json' }
import { version } from '../version/version.ts'
import type { OutsideResult } from './outside-text.ts'
import type { ServerEntry } from './servers-file.ts'
import { type ListedTool, toolPage } from './tool-list.ts'

/** Maximum bytes of one reply of a server. The text in it has a bound of its own. */
const maxReplyBytes = 4 * 1024 * 1024
/** Maximum pages of a list of tools. */
const maxPages = 10

/** Thrown when a reply exceeds its bound. */
export class ReplyTooLarge extends Error {
  override readonly name = 'ReplyTooLarge'
}

/** A connection to one server. It sends nothing of an account but the arguments of calls. */
export type Connection = {
  /** Lists all tools. */
  list(signal: AbortSignal): Promise<readonly ListedTool[]>
  call(tool: ListedTool, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<OutsideResult>
  close(): Promise<void>
}

/** Stops the HTTP requests of one operation. */
type Guard = { readonly signal: AbortSignal; stop(reason: Error): void }

const operation = new AsyncLocalStorage<Guard>()

/**
 * Connects to a server, or starts its process, with revision 2026-07-28 or, if the server does not know it, one of 2025.
 * @throws when the server does not answer as an MCP server, or `signal` is aborted.
 */
export async function connect(entry: ServerEntry, signal: AbortSignal): Promise<Connection> {
  const timeout = entry.timeoutMs + timerSlackMs
  const client = new Client(
    { name: manifest.name, version },
    {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: timeout } },
      // The model reads the text; whether structured content fits a schema of the server changes nothing.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  )
  const { at } = entry
  const transport =
    at.kind === 'process'
      ? new StdioClientTransport({
          ...{ command: at.command, args: [...at.args], env: { ...at.env } },
          ...{ stderr: 'inherit', maxBufferSize: maxReplyBytes },
        })
      : new StreamableHTTPClientTransport(new URL(at.url), {
          requestInit: { headers: at.headers },
          fetch: boundedFetch,
        })
  await guarded(signal, (inner) => client.connect(transport, { signal: inner, timeout }))
  return {
    list: (stop) => guarded(stop, (inner) => listTools(client, { signal: inner, timeout })),
    call: (tool, args, stop) =>
      guarded(stop, (inner) =>
        client.callTool(
          { name: tool.name, arguments: { ...args } },
          { signal: inner, timeout, toolDefinition: tool as never },
        ),
      ),
    close: () => client.close(),
  }
}

/** The callers' signals have the exact limits. The client's own timers come later. */
const timerSlackMs = 2_000

async function listTools(
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page += 1) {
    const found = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      toolPage,
      options,
    )
    tools.push(...found.tools.filter((tool) => tool !== null))
    cursor = found.nextCursor
    // A cursor that comes again leads nowhere.
    if (cursor === undefined || seen.has(cursor)) break
    seen.add(cursor)
  }
  return tools
}

/** Runs an operation whose HTTP requests end with it, and with its signal. */
async function guarded<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const own = new AbortController()
  const any = AbortSignal.any([signal, own.signal])
  const guard: Guard = { signal: any, stop: (reason) => own.abort(reason) }
  try {
    return await operation.run(guard, () => work(any))
  } catch (error) {
    // The client wraps reasons in errors of its own.
    throw any.aborted ? any.reason : error
  } finally {
    own.abort(new Error('the operation has ended'))
  }
}

/**
 * `fetch` for the transport: each request ends with its operation, and a reply has at most `maxReplyBytes`. A stream
 * for messages of the server is not opened, because nothing here reads them.
 */
async function boundedFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  if (init.method === 'GET') return new Response(null, { status: 405 })
  const guard = operation.getStore()
  const signals = [init.signal, isNotification(init.body) ? AbortSignal.timeout(5_000) : guard?.signal]
  const response = await fetch(url, {
    ...init,
    signal: AbortSignal.any(signals.filter((one) => one instanceof AbortSignal)),
  })
  if (!response.body) return response
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(byteLimit(guard)), { status, statusText, headers })
}

/** A cancellation is sent after the operation has been aborted. */
function isNotification(body: RequestInit['body']): boolean {
  return typeof body === 'string' && /"method":"notifications\//.test(body.slice(0, 100))
}

function byteLimit(
  guard: Guard | undefined,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= maxReplyBytes) return controller.enqueue(chunk)
      const error = new ReplyTooLarge(`a reply has more than ${maxReplyBytes} bytes`)
      guard?.stop(error)
      controller.error(error)
    },
  })
}
