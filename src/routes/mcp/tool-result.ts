import type { CallToolResult } from '@modelcontextprotocol/server'
import { databaseFault, isTransient, reasonOf } from '../../db/errors.ts'
import { ServiceError } from '../../errors.ts'
import type { Logger } from '../../log.ts'

/** A result as text for the model and as an object for programs. The specification asks for both. */
export function dataResult(value: object): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value as Record<string, unknown>,
  }
}

/** A result that says why a call failed. The model reads it and can call again. */
export function errorResult(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true }
}

/**
 * Runs a tool call. A failure becomes a result, so that the model can correct its call. The cause of an internal
 * failure goes only to the log, because it may contain a statement with its parameters.
 */
export async function toolResult(
  log: Pick<Logger, 'error'>,
  name: string,
  call: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await call()
  } catch (error) {
    return errorResult(publicMessage(log, name, error))
  }
}

/** The public text of a failure. The cause of an internal one is logged. */
export function publicMessage(log: Pick<Logger, 'error'>, name: string, error: unknown): string {
  if (error instanceof ServiceError) return error.message
  const fault = databaseFault(error)
  log.error({ tool: name, reason: reasonOf(error) }, 'an MCP call failed')
  return fault && isTransient(fault)
    ? 'The service cannot reach its database. Call again in a few seconds.'
    : 'The service failed. Call again later, or tell its operator the time of the call.'
}
