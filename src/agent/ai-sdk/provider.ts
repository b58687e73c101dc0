import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { CallFailure } from '../openai/failure.ts'
import {
  type CallOptions,
  type ClosableProvider,
  openConnections,
  retryingProvider,
} from '../openai/retried-call.ts'
import type { Watchdog } from '../openai/watchdog.ts'
import type { CallEnd, Finish, ModelRequest, TextListener } from '../provider.ts'
import { type UsageJudge, usageJudge } from '../usage.ts'
import { type ApiName, apis } from './apis.ts'
import { isWorthKeeping } from './attached.ts'
import { refusalText, sdkFailure } from './failure.ts'
import { fetchOver } from './fetch.ts'
import type { PromptTarget } from './prompt.ts'
import { canLeaveOut, refusedParameter, requestWithout } from './refused-parameter.ts'
import { ReplyBuilder, type WholeReply } from './reply.ts'
import { callOptions, type OwnOptions } from './request.ts'

export type AiSdkProviderOptions = OwnOptions &
  CallOptions & {
    readonly api: ApiName
    /** Undefined: the address of the provider itself. */
    readonly baseUrl?: string | undefined
    /** Undefined: the package reads the provider's usual environment variable. */
    readonly apiKey?: string | undefined
    readonly model: string
    readonly headers?: Readonly<Record<string, string>> | undefined
    readonly region?: string | undefined
    readonly apiVersion?: string | undefined
    /** The model's window in tokens. */
    readonly contextTokens: number
  }

/**
 * A client for an API that a package of the AI SDK speaks. The package is loaded here.
 * @throws Error with the code `ERR_MODULE_NOT_FOUND` if the package is not installed.
 */
export async function createAiSdkProvider(options: AiSdkProviderOptions): Promise<ClosableProvider> {
  const api = apis[options.api]
  const { baseUrl, apiKey, model, headers = {}, region, apiVersion } = options
  const agent = openConnections()
  const fetch = fetchOver(agent)
  const upstream: Upstream = {
    options,
    judge: usageJudge(options.contextTokens, options.onFalseUsage),
    target: { api, model, upstream: `${options.api} ${baseUrl ?? ''} ${model}` },
    language: await api.open({ baseUrl, apiKey, model, headers, region, apiVersion, fetch }),
    refused: new Set(),
  }
  return retryingProvider(
    options,
    (request, watch, onText) => adaptedReply(upstream, request, watch, onText),
    () => agent.destroy(),
  )
}

type Upstream = {
  readonly options: AiSdkProviderOptions
  readonly judge: UsageJudge
  readonly target: PromptTarget
  readonly language: LanguageModelV4
  /** Parameters that the model has refused, as clients name them. Later calls leave them out. */
  readonly refused: Set<string>
}

/** Makes the call again without a parameter that the upstream refuses, and remembers that once it has helped. */
async function adaptedReply(
  upstream: Upstream,
  request: ModelRequest,
  watch: Watchdog,
  onText: TextListener,
): Promise<CallEnd> {
  const refused = new Set(upstream.refused)
  for (;;) {
    const adapted = requestWithout(request, refused)
    try {
      const end = await reply(upstream, adapted.request, watch, onText)
      for (const name of refused) upstream.refused.add(name)
      if (end.type !== 'finish') return end
      const leftOut = new Set([...adapted.leftOut, ...(end.leftOut ?? [])])
      return leftOut.size > 0 ? { ...end, leftOut: [...leftOut] } : end
    } catch (fault) {
      const failure = watch.failure ?? sdkFailure(fault, upstream.options.apiKey)
      refused.add(dispensableIn(failure, refusalText(fault), adapted.request))
    }
  }
}

/**
 * The parameter that a refusal names, if the call may be made without it.
 * @throws the failure otherwise.
 */
function dispensableIn(failure: CallFailure, text: string | undefined, request: ModelRequest): string {
  const { kind, status, message } = failure
  const isRefusal = kind === 'rejected' && (status === 400 || status === 422)
  const param = isRefusal && text !== undefined ? refusedParameter(text, request) : undefined
  if (param === undefined || text === undefined) throw failure
  if (canLeaveOut(param, text)) return param
  throw new CallFailure(kind, message, { status, param, cause: failure })
}

/** One attempt. */
async function reply(
  { language, target, options, judge }: Upstream,
  request: ModelRequest,
  watch: Watchdog,
  onText: TextListener,
): Promise<CallEnd> {
  watch.expect('first-byte')
  const { stream } = await language.doStream(callOptions(request, target, options, watch.signal))
  const reader = stream.getReader()
  const builder = new ReplyBuilder(options.apiKey)
  try {
    const isWanted = await readParts(reader, builder, watch, onText)
    return isWanted ? finish(judge, target, request, builder.finish()) : { type: 'enough' }
  } finally {
    // It closes the connection of a reply that nobody reads to its end.
    reader.cancel().catch(() => undefined)
  }
}

/**
 * Passes the text of a reply on until it ends.
 * @returns whether `onText` accepted all of it.
 */
async function readParts(
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  builder: ReplyBuilder,
  watch: Watchdog,
  onText: TextListener,
): Promise<boolean> {
  for (;;) {
    const { done, value: part } = await reader.read()
    watch.check()
    if (done) return true
    const text = builder.accept(part)
    // The package sends its warnings before anything has arrived.
    if (part.type !== 'stream-start') {
      watch.payload()
      watch.expect('idle')
    }
    if (text !== '' && !onText(text)) return false
  }
}

function finish(
  judge: UsageJudge,
  { upstream }: PromptTarget,
  request: ModelRequest,
  { reason, toolCalls, parts, written, reported, leftOut }: WholeReply,
): Finish {
  return {
    type: 'finish',
    reason,
    toolCalls,
    usage: judge(request, written, reported),
    ...(isWorthKeeping(parts) && { attached: { upstream, json: JSON.stringify(parts) } }),
    ...(leftOut.length > 0 && { leftOut }),
  }
}
