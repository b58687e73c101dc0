import type { Config } from './config.ts'
import type { Installation } from './installation.ts'
import type { Logger } from './log.ts'
import type { McpServers } from './mcp-servers/mcp-servers.ts'
import type { Telemetry } from './telemetry.ts'

/**
 * Reads the file of `MCP_SERVERS`. Its packages are loaded only for that.
 * @returns what opens the servers when the plans are known. Undefined: there are none.
 */
export async function readOutsideServers({ mcpServers: named, metricsToken }: Config) {
  if (!named) return undefined
  const { readServersFile, requirePlans } = await import('./mcp-servers/servers-file.ts')
  const entries = await readServersFile(named)
  return async (
    { plans }: Installation,
    { registry }: Telemetry,
    log: Logger,
  ): Promise<McpServers | undefined> => {
    requirePlans(entries, plans.names)
    const [{ openMcpServers }, { createMcpMetrics }] = await Promise.all([
      import('./mcp-servers/mcp-servers.ts'),
      import('./mcp-servers/mcp-metrics.ts'),
    ])
    const counted = metricsToken !== undefined && entries.length > 0
    return openMcpServers(entries, { log, metrics: counted ? createMcpMetrics(registry) : undefined })
  }
}
