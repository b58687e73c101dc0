import { z } from 'zod'
import type { ToolSpec } from './provider.ts'

/** A passage that a tool put before the model under a mark such as `S3`, with all that a citation must show. */
export type OfferedSource = {
  /** Without brackets: the model writes `[S3]`. Counted through the turn. */
  readonly mark: string
  readonly ref: string
  readonly heRef: string
  readonly title: string
  readonly work: string
  readonly language: string
  readonly version: string
  readonly license: string
  readonly url: string
  /** The passage exactly as it was shown to the model. */
  readonly text: string
}

export type FileChange = {
  readonly id: string
  readonly filename: string
  readonly bytes: number
  readonly contentType: string
  readonly action: 'created' | 'updated'
}

/**
 * What a tool call came to. A failure the model can mend is a result with `isError`, never an exception.
 * Writing is deferred to `commit`, which the journal calls in the transaction that records the step: a replica that
 * lost the run can therefore write nothing, and a repeated step writes once.
 */
export type ToolOutcome<Transaction> = {
  /** The text the model reads. */
  readonly content: string
  readonly isError?: boolean
  readonly sources?: readonly OfferedSource[]
  readonly commit?: (transaction: Transaction) => Promise<CommittedChange>
}

/** What the deferred write did: the files it changed, or an error text that replaces the outcome. */
export type CommittedChange = { readonly files: readonly FileChange[] } | { readonly error: string }

export interface Tool<Transaction> {
  readonly spec: ToolSpec
  /** One line in words for progress displays, such as `Searching for "beinoni"`. */
  describe(args: Readonly<Record<string, unknown>>): string
  /**
   * @param args the parsed JSON object, not yet validated.
   * @param callId of the call that this is, for traces.
   * @throws only on faults that are not the model's (database gone, turn aborted).
   */
  execute(
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    callId?: string,
  ): Promise<ToolOutcome<Transaction>>
}

/** The tools of one turn: their descriptions for the model, and each when it is called. */
export type Toolbox<Transaction> = {
  readonly specs: readonly ToolSpec[]
  get(name: string): Tool<Transaction> | undefined
}

/** Returned for arguments that do not fit: the model reads it and tries again. */
export function badArguments(message: string): { content: string; isError: true } {
  return { content: JSON.stringify({ error: message }), isError: true }
}

/** Validates before running: arguments that do not fit go back to the model in one sentence. */
export async function withArguments<S extends z.ZodType, Transaction>(
  schema: S,
  args: Readonly<Record<string, unknown>>,
  run: (valid: z.output<S>) => Promise<ToolOutcome<Transaction>>,
): Promise<ToolOutcome<Transaction>> {
  const parsed = schema.safeParse(args)
  if (parsed.success) return run(parsed.data)
  const issue = parsed.error.issues[0]
  return badArguments(`${issue?.path.join('.') || 'arguments'}: ${issue?.message}`)
}

const described = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>()

/** The JSON Schema that describes the arguments of a tool to the model; made once for each schema. */
export function parametersOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const known = described.get(schema)
  if (known) return known
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' })
  described.set(schema, parameters)
  return parameters
}
