import { creditsNumber } from '../../billing/credits.ts'
import type { BodyOf } from '../../http/openapi/docs.ts'
import type { Run } from '../../turns/run/run.ts'
import { answerText, type RunEnd, type RunUsage, type TerminalEvent } from '../../turns/run/run-events.ts'
import type { RunRequest } from '../../turns/run/run-request.ts'
import type { chatUsage, toolCall } from './turn-schema.ts'

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
