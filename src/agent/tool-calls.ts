import { messageOf, ServiceError } from '../errors.ts'
import type { ToolCall } from './provider.ts'
import { storable } from './storable-text.ts'
import { badArguments, type Toolbox, type ToolOutcome } from './tools.ts'

/** The parsed arguments of a call, every text in them storable; undefined when they are no JSON object. */
export function parseArguments(call: ToolCall): Readonly<Record<string, unknown>> | undefined {
  if (call.arguments.trim() === '') return {}
  try {
    // Escapes such as \u0000 become characters only here.
    const value: unknown = JSON.parse(call.arguments, (_, item: unknown) =>
      typeof item === 'string' ? storable(item) : item,
    )
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Runs one call. What the model did wrong becomes an outcome that it can read.
 * @throws faults that are not the model's: an aborted turn, a lost database, a programming error.
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
  const args = parseArguments(call)
  if (!args) return badArguments('The arguments are not a JSON object.')
  try {
    return await tool.execute(args, signal, call.id)
  } catch (error) {
    if (error instanceof ServiceError) return badArguments(error.message)
    throw error
  }
}

/**
 * Starts the calls, at most `atOnce` at a time, and yields their outcomes in the order of the calls.
 * A fault of one is thrown when its turn comes; the others are still awaited, so that nothing floats.
 */
export async function* runToolCalls<Transaction>(
  tools: Toolbox<Transaction>,
  calls: readonly ToolCall[],
  signal: AbortSignal,
  atOnce: number,
): AsyncGenerator<ToolOutcome<Transaction>> {
  const started: Promise<PromiseSettledResult<ToolOutcome<Transaction>>>[] = []
  const start = () => {
    const call = calls[started.length]
    if (call) started.push(settled(runToolCall(tools, call, signal)))
  }
  try {
    for (let i = 0; i < calls.length; i += 1) {
      while (started.length < Math.min(i + atOnce, calls.length)) start()
      const result = await started[i]
      if (!result) return
      if (result.status === 'rejected') throw result.reason
      yield result.value
    }
  } finally {
    await Promise.all(started)
  }
}

async function settled<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([work])
  return result
}

/** One line for progress displays. */
export function describeCall<Transaction>(tools: Toolbox<Transaction>, call: ToolCall): string {
  try {
    return tools.get(call.name)?.describe(parseArguments(call) ?? {}) ?? call.name
  } catch (error) {
    return `${call.name}: ${messageOf(error)}`
  }
}
