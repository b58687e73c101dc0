import { messageOf, ServiceError } from '../../errors.ts'
import type { ToolCall } from '../provider.ts'
import { badArguments, type Toolbox, type ToolOutcome } from '../tools.ts'
import { parseArguments } from './tool-arguments.ts'

/**
 * Runs one call. A mistake of the model becomes a result that it can read.
 * @throws other faults: an aborted turn, a lost database, a programming error.
 */
export async function runToolCall<Transaction>(
  tools: Toolbox<Transaction>,
  call: ToolCall,
  signal: AbortSignal,
): Promise<ToolOutcome<Transaction>> {
  const tool = tools.get(call.name)
  if (!tool) {
    const names = tools.specs.map(({ name }) => name).join(', ')
    return badArguments(`There is no tool "${call.name}". Tools: ${names}.`)
  }
  const parsed = parseArguments(call)
  if ('fault' in parsed) return badArguments(parsed.fault)
  try {
    return await tool.execute(parsed.args, signal, call.id)
  } catch (error) {
    if (error instanceof ServiceError) return badArguments(error.message)
    throw error
  }
}

/**
 * Runs the calls, at most `atOnce` at a time, and yields their results in order. A fault is thrown when its
 * call's turn comes; it still waits for the other calls, so that none keeps running.
 */
export async function* runToolCalls<Transaction>(
  tools: Toolbox<Transaction>,
  calls: readonly ToolCall[],
  signal: AbortSignal,
  atOnce: number,
): AsyncGenerator<ToolOutcome<Transaction>> {
  const started: Promise<PromiseSettledResult<ToolOutcome<Transaction>>[]>[] = []
  try {
    for (let i = 0; i < calls.length; i += 1) {
      for (const call of calls.slice(started.length, i + atOnce))
        started.push(Promise.allSettled([runToolCall(tools, call, signal)]))
      const [result] = (await started[i]) ?? []
      if (!result) return
      if (result.status === 'rejected') throw result.reason
      yield result.value
    }
  } finally {
    await Promise.all(started)
  }
}

/** Maximum characters of a title. A person needs no more, and a longer one would show text that is no part of the answer. */
const maxTitle = 120

/** A title of the call, for progress displays. */
export function describeCall<Transaction>(tools: Toolbox<Transaction>, call: ToolCall): string {
  try {
    const parsed = parseArguments(call)
    const title = tools.get(call.name)?.describe('args' in parsed ? parsed.args : {}) ?? call.name
    return cut(title)
  } catch (error) {
    return cut(`${call.name}: ${messageOf(error)}`)
  }
}

function cut(title: string): string {
  return title.length <= maxTitle ? title : `${title.slice(0, maxTitle - 1).toWellFormed()}…`
}
