import { LRUCache } from 'lru-cache'
import type { ToolSpec } from '../agent/provider.ts'
import type { Tool, Toolbox } from '../agent/tools.ts'
import type { Price } from '../billing/pricing.ts'
import type { Logger } from '../log.ts'
import { startPeriodicTask } from '../periodic-work.ts'
import type { McpMetrics } from './mcp-metrics.ts'
import { OutsideServer, type ServerLimits } from './outside-server.ts'
import type { ServerEntry } from './servers-file.ts'

/** The tools of outside servers for one turn. They stay the same until its end. */
export type OutsideTools = Toolbox<unknown> & {
  /** The price of a model, with the prices of these tools. */
  priced(price: Price): Price
}

/** The outside servers of `MCP_SERVERS`. */
export type McpServers = {
  /** @param planName finds the plan of the turn's account. It is called only if a server is limited to plans. */
  forTurn(planName: () => Promise<string>): Promise<OutsideTools>
  close(): Promise<void>
}

const standardLimits = { pauseMs: 30_000, listMs: 600_000, failures: 3, concurrentCalls: 32, checkMs: 10_000 }

export type McpServersOptions = {
  readonly log: Logger
  readonly metrics?: McpMetrics | undefined
  /** `checkMs`: how often it looks for a list that is missing or old. */
  readonly limits?: Partial<ServerLimits & { readonly checkMs: number }> | undefined
}

/**
 * Lists the tools of the servers. It waits for each at most the time limit of its calls; a server that does not answer is
 * logged and tried again later, and its tools are missing until then.
 */
export async function openMcpServers(
  entries: readonly ServerEntry[],
  { log, metrics, limits: changed }: McpServersOptions,
): Promise<McpServers> {
  const limits = { ...standardLimits, ...changed }
  const servers = entries.map((entry) => new OutsideServer(entry, limits, log, metrics))
  const closing = new AbortController()
  const refresh = async () => {
    await Promise.all(servers.map((server) => server.refresh(closing.signal)))
  }
  await refresh()
  const refreshing = startPeriodicTask(refresh, limits.checkMs, (error) =>
    log.warn({ reason: String(error) }, 'looking after MCP servers failed'),
  )
  const sets = new LRUCache<string, OutsideTools>({ max: 50 })
  const numbers = createNumbering()
  return {
    async forTurn(planName) {
      const able = servers.filter(({ tools }) => tools.length > 0)
      const plan = able.some(({ entry }) => entry.plans) ? await planName() : ''
      const allowed = able.filter(({ entry }) => entry.plans?.includes(plan) ?? true)
      // Turns share the set, because the texts of its descriptions are cached by identity.
      const key = allowed.map(({ entry, tools }) => `${entry.name} ${numbers(tools)}`).join()
      const known = sets.get(key) ?? toolsOf(allowed)
      sets.set(key, known)
      return known
    },
    async close() {
      closing.abort()
      await refreshing.stop()
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

/** Numbers objects by identity. */
function createNumbering(): (object: object) => number {
  const numbers = new WeakMap<object, number>()
  let last = 0
  return (object) => {
    const number = numbers.get(object) ?? ++last
    numbers.set(object, number)
    return number
  }
}

function toolsOf(servers: readonly OutsideServer[]): OutsideTools {
  const tools = new Map<string, Tool<unknown>>()
  const prices = new Map<string, bigint>()
  for (const { entry, tools: offered } of servers)
    for (const tool of offered) {
      tools.set(tool.spec.name, tool)
      if (entry.priceMicros !== undefined) prices.set(tool.spec.name, entry.priceMicros)
    }
  const specs: readonly ToolSpec[] = [...tools.values()].map(({ spec }) => spec)
  return {
    specs,
    get: (name) => tools.get(name),
    priced: (price) =>
      prices.size === 0 ? price : { ...price, toolMicros: new Map([...prices, ...(price.toolMicros ?? [])]) },
  }
}
