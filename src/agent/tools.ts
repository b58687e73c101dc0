import { z } from 'zod'
import { parsedJson } from './json.ts'
import type { ToolSpec } from './provider.ts'

/** A passage that a tool showed to the model under a mark such as `S3`, with everything that a citation shows. */
export type OfferedSource = {
  /** The mark without brackets; the model writes `[S3]`. Marks are numbered through the turn. */
  readonly mark: string
  readonly ref: string
  readonly heRef: string
  readonly title: string
  readonly work: string
  readonly language: string
  readonly version: string
  readonly license: string
  readonly url: string
  /** The passage exactly as the model saw it. */
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
 * The result of a tool call. A mistake that the model can correct is a result with `isError`, not an exception.
 * Writes are deferred to `commit`, which the journal calls in the step's transaction. A replica that lost the
 * run can therefore write nothing, and a repeated step writes once.
 */
export type ToolOutcome<Transaction> = {
  /** The text for the model. */
  readonly content: string
  readonly isError?: boolean
  readonly sources?: readonly OfferedSource[]
  readonly commit?: (transaction: Transaction) => Promise<CommittedChange>
}

/** The effect of the deferred write: the changed files, or an error text that replaces the result. */
export type CommittedChange = { readonly files: readonly FileChange[] } | { readonly error: string }

export interface Tool<Transaction> {
  readonly spec: ToolSpec
  /** A title for progress displays, such as `Searching for "beinoni"`. */
  describe(args: Readonly<Record<string, unknown>>): string
  /**
   * @param args the parsed JSON object, not yet validated.
   * @param callId the id of this call, for traces.
   * @throws only for faults that the model cannot correct (a lost database, an aborted turn).
   */
  execute(
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    callId?: string,
  ): Promise<ToolOutcome<Transaction>>
}

/** The tools of one turn: their descriptions for the model, and each tool by name. */
export type Toolbox<Transaction> = {
  readonly specs: readonly ToolSpec[]
  get(name: string): Tool<Transaction> | undefined
}

/** The result for invalid arguments. The model reads it and tries again. */
export function badArguments(message: string): { content: string; isError: true } {
  return { content: JSON.stringify({ error: message }), isError: true }
}

/**
 * The arguments in the types that the schema declares. Models send null or an empty text for an argument that they leave
 * out, above all if their server makes every argument required, and numbers and lists as texts.
 */
export function asDeclared(schema: z.ZodType, args: unknown): unknown {
  if (args === null) return {}
  if (typeof args !== 'object' || Array.isArray(args)) return args
  const { properties = {}, required = [] } = parametersOf(schema) as {
    readonly properties?: Readonly<Record<string, { readonly type?: string }>>
    readonly required?: readonly string[]
  }
  const declared = Object.entries(args).map(([name, value]) => {
    if (value === '' && !required.includes(name)) return [name, null] as const
    const type = properties[name]?.type
    if (typeof value === 'number') return [name, type === 'string' ? String(value) : value] as const
    return [name, typeof value === 'string' ? fromText(value, type) : value] as const
  })
  return Object.fromEntries(declared.filter(([, value]) => value !== null))
}

function fromText(text: string, type: string | undefined): unknown {
  if (type === 'integer' || type === 'number')
    return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text
  if (type === 'boolean') return /^true$/i.test(text) || (/^false$/i.test(text) ? false : text)
  if (type !== 'array') return text
  const list = parsedJson(text)
  return Array.isArray(list) ? list : [text]
}

/** Validates the arguments, read with `asDeclared`, before `run`. Invalid ones return to the model as one sentence. */
export async function withArguments<S extends z.ZodType, Transaction>(
  schema: S,
  args: Readonly<Record<string, unknown>>,
  run: (valid: z.output<S>) => Promise<ToolOutcome<Transaction>>,
): Promise<ToolOutcome<Transaction>> {
  const parsed = schema.safeParse(asDeclared(schema, args))
  if (parsed.success) return run(parsed.data)
  const issue = parsed.error.issues[0]
  return badArguments(`${issue?.path.join('.') || 'arguments'}: ${issue?.message}`)
}

const described = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>()

/** The JSON Schema of a tool's arguments, for the model. It is created once per schema. */
export function parametersOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const known = described.get(schema)
  if (known) return known
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' })
  described.set(schema, parameters)
  return parameters
}
