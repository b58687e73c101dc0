import type { Registry } from 'prom-client'
import type { Plans } from '../accounts/plans.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { McpServers } from './mcp-servers.ts'

/**
 * Reads the file of `MCP_SERVERS`. Its packages are loaded only for that.
 * @returns what opens the servers when the plans are known. Undefined: there are none.
 */
export async function readOutsideServers({ mcpServers: named, metricsToken }: Config) {
  if (!named) return undefined
  const { readServersFile, requirePlans } = await import('./servers-file.ts')
  const entries = await readServersFile(named)
  return async (
    { plans }: { readonly plans: Plans },
    { registry }: { readonly registry: Registry },
    log: Logger,
  ): Promise<McpServers | undefined> => {
    requirePlans(entries, plans.names)
    const [{ openMcpServers }, { createMcpMetrics }] = await Promise.all([
      import('./mcp-servers.ts'),
      import('./mcp-metrics.ts'),
    ])
    const counted = metricsToken !== undefined && entries.length > 0
    return openMcpServers(entries, { log, metrics: counted ? createMcpMetrics(registry) : undefined })
  }
}
