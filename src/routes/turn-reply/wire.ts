import type { FileChange } from '../../agent/tools.ts'
import { creditsNumber } from '../../billing/credits.ts'
import type { BodyOf } from '../../http/openapi/docs.ts'
import { checkedKindOf, type SourceKind, sourceKindOf } from '../../turns/read/source-kind.ts'
import type { Run } from '../../turns/run/run.ts'
import {
  answerText,
  type CitedSource,
  type RunEnd,
  type RunUsage,
  statusOf,
  type TerminalEvent,
} from '../../turns/run/run-events.ts'
import type { RunRequest } from '../../turns/run/run-request.ts'
import type { serviceBlock } from './service-block.ts'
import type { chatUsage, fileChange, toolCall, turnUsage } from './turn-schema.ts'

/** Pieces of the chat format that streamed and whole replies share. */

/** A completion's id follows from its run's, so that a retry returns the same id. */
export function completionId(run: Run): string {
  return `chatcmpl-${run.id.slice('run_'.length)}`
}

/** The text for the client: the answer, and the list of sources if that is inline. */
export function contentOf(end: RunEnd): string {
  return answerText(end) + end.source_list
}

/** The same, for APIs that have a member of its own for a refusal. */
export function contentBesidesRefusal(end: RunEnd): string {
  return end.text + end.source_list
}

/** OpenAI's usage object, with the credits added. */
export function usageBody(usage: RunUsage): BodyOf<typeof chatUsage> {
  return {
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    total_tokens: usage.total_tokens,
    ...usageDetails(usage),
    cost: creditsNumber(BigInt(usage.cost_micros)),
  }
}

/** The parts of the tokens that the model's server reports. */
export function usageDetails({
  cached_tokens: cached,
  cache_write_tokens: written,
  reasoning_tokens: reasoning,
}: Pick<RunUsage, 'cached_tokens' | 'cache_write_tokens' | 'reasoning_tokens'>) {
  const hasCache = cached !== undefined || written !== undefined
  return {
    ...(hasCache && {
      prompt_tokens_details: {
        cached_tokens: cached ?? 0,
        ...(written !== undefined && { cache_write_tokens: written }),
      },
    }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}

export const noUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: 0 } as const

type ServiceBlock = BodyOf<typeof serviceBlock>

/** The `x_service` block before a run has ended. */
export function openBlock(run: Run, status: Run['status']): ServiceBlock {
  return {
    project_id: run.projectId,
    session_id: run.sessionId,
    run_id: run.id,
    message_id: run.messageId,
    status,
    files: [],
    sources: [],
  }
}

/** The complete `x_service` block of a run that has ended. */
export function endBlock(run: Run, event: TerminalEvent): ServiceBlock {
  const { end } = event
  return {
    ...openBlock(run, statusOf(event)),
    files: end.files.map(fileBody),
    sources: sourcesOf(end),
    unknown_marks: end.unknown_marks,
    unknown_refs: end.unknown_refs,
    quotations: quotationsOf(end),
    question_quotations: end.question_quotations ?? [],
    usage: turnUsageBody(end.usage),
  }
}

/** The cited sources, each with its kind and that of its checks. */
export function sourcesOf(end: RunEnd): ServiceBlock['sources'] {
  return end.sources.map((source) => ({
    ...source,
    kind: sourceKindOf(source),
    verification: source.verification.map((check) => withKind(check, source, end)),
  }))
}

/** The quotations without a citation, each with the kind of source that has it. */
export function quotationsOf(end: RunEnd): NonNullable<ServiceBlock['quotations']> {
  return (end.quotations ?? []).map((check) => withKind(check, undefined, end))
}

function withKind<C extends { readonly result: string; readonly found_ref?: string }>(
  check: C,
  source: CitedSource | undefined,
  end: RunEnd,
): C & { readonly source_kind?: SourceKind } {
  const kind = checkedKindOf(check, source, end)
  return kind === undefined ? check : { ...check, source_kind: kind }
}

/** Tokens, calls and cost of a turn, in full. */
export function turnUsageBody(usage: RunUsage): BodyOf<typeof turnUsage> {
  return {
    ...usageBody(usage),
    model_calls: usage.model_calls,
    tool_calls: usage.tool_calls,
    estimated: usage.estimated,
    ...(usage.left_out && { left_out: usage.left_out }),
    ...(usage.upstreams && { upstreams: usage.upstreams }),
  }
}

export function fileBody(file: FileChange): BodyOf<typeof fileChange> {
  return {
    id: file.id,
    filename: file.filename,
    bytes: file.bytes,
    content_type: file.contentType,
    action: file.action,
  }
}

/**
 * One annotation per citation, with all four members, because strict clients reject a reply with fewer.
 * Sources without a URL appear in `x_service.sources` only.
 */
export function annotationsOf(end: RunEnd) {
  return end.citations.flatMap(({ n, start, end: stop }) => {
    const source = end.sources.find((s) => s.n === n)
    if (!source || source.url === '') return []
    return [
      {
        type: 'url_citation' as const,
        url_citation: { start_index: start, end_index: stop, url: source.url, title: source.ref },
      },
    ]
  })
}

/** The calls of client tools, each with the type of its tool. */
export function toolCallsOf(run: Run, end: RunEnd): readonly BodyOf<typeof toolCall>[] {
  return end.tool_calls.map(({ id, name, arguments: args }) =>
    isCustom(run, name)
      ? { id, type: 'custom', custom: { name, input: customInput(args) } }
      : { id, type: 'function', function: { name, arguments: args } },
  )
}

/** Whether the client sent the tool with the type `custom`. */
export function isCustom(run: Pick<Run, 'request'>, name: string): boolean {
  const { customTools } = run.request as RunRequest
  return customTools !== undefined && Object.hasOwn(customTools, name)
}

/** The input of a tool of type `custom`: the one argument of its function. A model may have written the input alone. */
export function customInput(args: string): string {
  try {
    const { input } = JSON.parse(args)
    return typeof input === 'string' ? input : args
  } catch {
    return args
  }
}

/** A parameter that the model's server refused, as the client of this run named it. */
export function refusedParam(run: Run, event: TerminalEvent): string | null {
  const param = event.type === 'run.failed' ? event.param : undefined
  if (param === undefined) return null
  const isResponse = (run.request as RunRequest).response !== undefined
  return isResponse ? (responsesNames.get(param) ?? param) : param
}

/** Parameters that the Responses API calls otherwise. */
const responsesNames: ReadonlyMap<string, string> = new Map([
  ['max_tokens', 'max_output_tokens'],
  ['reasoning_effort', 'reasoning.effort'],
  ['response_format', 'text.format'],
])

/** Error code and public message of a run that did not complete. */
export function failureOf(event: Exclude<TerminalEvent, { type: 'run.completed' }>): {
  readonly code: string
  readonly message: string
} {
  if (event.type === 'run.cancelled') return { code: 'run_cancelled', message: 'The run was cancelled.' }
  return { code: event.code, message: event.message }
}
