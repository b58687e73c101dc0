import { Counter, Histogram, type Registry } from 'prom-client'

/**
 * How a call ended. `ok`: with a result. `tool_error`: the tool reports an error. `refused`: the server does not
 * accept the call. `timeout`: no result in time. `too_large`: a reply above its bound. `failed`: no connection, or
 * no valid reply. `busy`: too many calls at the same time. `paused`: after failures, nothing was sent. `cancelled`: the turn ended.
 */
export const callOutcomes = [
  'ok',
  'tool_error',
  'refused',
  'timeout',
  'too_large',
  'failed',
  'busy',
  'paused',
  'cancelled',
] as const

export type CallOutcome = (typeof callOutcomes)[number]

export type McpMetrics = ReturnType<typeof createMcpMetrics>

const buckets = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60, 120]

/** Registers the metrics of the tools of outside servers. */
export function createMcpMetrics(registry: Registry) {
  const registers = [registry]
  const calls = new Counter({
    name: 'service_mcp_server_calls_total',
    help: 'Calls of tools of outside MCP servers, by server and outcome',
    labelNames: ['server', 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'service_mcp_server_call_duration_seconds',
    help: 'Calls of tools of outside MCP servers, by server',
    labelNames: ['server'],
    buckets,
    registers,
  })
  return {
    /** Adds a server. Each of its outcomes begins with 0, so that the first increase is seen. */
    server(name: string) {
      for (const outcome of callOutcomes) calls.inc({ server: name, outcome }, 0)
    },
    called(server: string, outcome: CallOutcome, seconds: number) {
      calls.inc({ server, outcome })
      duration.observe({ server }, seconds)
    },
  }
}
