import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import manifest from '../../../package.json' with { type: 'json' }
import { productName } from '../../http/product.ts'
import type { Logger } from '../../log.ts'
import { version } from '../../version/version.ts'
import { registerAsk } from './ask.ts'
import type { Caller } from './caller.ts'
import { registerLibraryTools } from './library-tools.ts'
import { registerPrompts } from './prompts.ts'
import { registerResources } from './resources.ts'

const instructions =
  'A library of chassidic and related Jewish texts in Hebrew and English. Use `search` and `fetch` to find and read passages, `verify_quotations` to check what you quote, and `ask` for a complete answer with sources. Cite passages by their refs.'

/** What a list of tools, prompts or templates may be cached for: it changes only with the version of the service. */
const unchanging = { ttlMs: 3_600_000, cacheScope: 'public' as const }

/** Proxies close a connection that is silent for longer. */
const keepAliveMs = 10_000

/** The handler of all requests. */
export function createLibraryHandler(log: Pick<Logger, 'warn'>) {
  return createMcpHandler(({ era, authInfo }) => libraryServer(authInfo?.extra?.['caller'] as Caller, era), {
    // A stream from the start, so that a turn of minutes is kept alive.
    responseMode: 'sse',
    keepAliveMs,
    onerror: (error) => log.warn({ reason: error.message }, 'an MCP request was refused'),
  })
}

/**
 * The server for one request.
 * @param era of the request: `modern` is revision 2026-07-28, `legacy` the revisions of 2025.
 */
function libraryServer(caller: Caller, era: 'modern' | 'legacy'): McpServer {
  const server = new McpServer(
    { name: manifest.name, title: caller.services.appName ?? productName, version },
    {
      instructions,
      cacheHints: {
        'tools/list': unchanging,
        'prompts/list': unchanging,
        'resources/templates/list': unchanging,
        'server/discover': unchanging,
      },
    },
  )
  registerLibraryTools(server, caller)
  registerAsk(server, caller, era === 'modern')
  registerResources(server, caller)
  registerPrompts(server)
  return server
}
