import type { z } from 'zod'
import { parametersOf, type Tool, type ToolOutcome, withArguments } from '../tools.ts'
import { toolDescription } from './prompts.ts'

/** A tool that models read about in a file of `tools`. `run` gets valid arguments. */
export function describedTool<Schema extends z.ZodType, Transaction>(
  name: string,
  schema: Schema,
  describe: Tool<Transaction>['describe'],
  run: (valid: z.output<Schema>, signal: AbortSignal) => Promise<ToolOutcome<Transaction>>,
): Tool<Transaction> {
  return {
    spec: { name, description: toolDescription(name), parameters: parametersOf(schema) },
    describe,
    execute: (args, signal) => withArguments(schema, args, (valid) => run(valid, signal)),
  }
}
