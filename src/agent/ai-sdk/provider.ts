import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { Agent } from 'undici'
import { CallFailure } from '../openai/failure.ts'
import {
  type CallLimits,
  RetriedCall,
  type Retries,
  standardRetries,
  standardTimers,
} from '../openai/retried-call.ts'
import type { Timers, Watchdog } from '../openai/watchdog.ts'
import type { CallEnd, Finish, ModelRequest, Provider, TextListener } from '../provider.ts'
import { judgeUsage } from '../usage.ts'
import { type ApiName, apiOf } from './apis.ts'
import { isWorthKeeping } from './attached.ts'
import { refusalText, sdkFailure } from './failure.ts'
import { fetchOver } from './fetch.ts'
import type { PromptTarget } from './prompt.ts'
import { canLeaveOut, refusedParameter, requestWithout } from './refused-parameter.ts'
import { ReplyBuilder, type WholeReply } from './reply.ts'
import { callOptions, type OwnOptions } from './request.ts'

export type AiSdkProviderOptions = OwnOptions & {
  readonly api: ApiName
  /** Undefined: the address of the provider itself. */
  readonly baseUrl?: string | undefined
  /** Undefined: the package reads the provider's usual environment variable. */
  readonly apiKey?: string | undefined
  readonly model: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly region?: string | undefined
  readonly apiVersion?: string | undefined
  readonly timers?: Partial<Timers>
  readonly retries?: Partial<Retries>
  readonly onFailure?: CallLimits['onFailure']
  /** The model's window in tokens. */
  readonly contextTokens: number
  /** Called for each impossible token count. */
  readonly onFalseUsage?: ((fault: string) => void) | undefined
}

export interface AiSdkProvider extends Provider {
  /** Ends running calls (as `aborted`) and closes the connections. */
  close(): Promise<void>
}

const connections = 8_192
const connectMs = 10_000

/**
 * A client for an API that a package of the AI SDK speaks. The package is loaded here.
 * @throws Error with the code `ERR_MODULE_NOT_FOUND` if the package is not installed.
 */
export async function createAiSdkProvider(options: AiSdkProviderOptions): Promise<AiSdkProvider> {
  const api = apiOf(options.api)
  const { baseUrl, apiKey, model, headers = {}, region, apiVersion } = options
  const agent = new Agent({ connections, allowH2: false, connect: { timeout: connectMs } })
  const fetch = fetchOver(agent)
  const upstream: Upstream = {
    options,
    target: { api, model, upstream: `${options.api} ${baseUrl ?? ''} ${model}` },
    language: await api.open({ baseUrl, apiKey, model, headers, region, apiVersion, fetch }),
    refused: new Set(),
  }
  const limits: CallLimits = {
    timers: { ...standardTimers, ...options.timers },
    retries: { ...standardRetries, ...options.retries },
    onFailure: options.onFailure,
  }
  const calls = new Set<RetriedCall>()
  let isClosed = false
  return {
    ask(request, signal, onText) {
      const call = new RetriedCall(
        limits,
        (watch, listen) => adaptedReply(upstream, request, watch, listen),
        signal,
      )
      calls.add(call)
      if (isClosed) call.abort()
      return call.make(onText).finally(() => calls.delete(call))
    },
    async close() {
      isClosed = true
      for (const call of calls) call.abort()
      await agent.destroy()
    },
  }
}

type Upstream = {
  readonly options: AiSdkProviderOptions
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
  { language, target, options }: Upstream,
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
    return isWanted ? finish(options, target, request, builder.finish()) : { type: 'enough' }
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
  { contextTokens, onFalseUsage }: AiSdkProviderOptions,
  { upstream }: PromptTarget,
  request: ModelRequest,
  { reason, toolCalls, parts, written, reported, leftOut }: WholeReply,
): Finish {
  const { usage, fault } = judgeUsage(request, written, reported, contextTokens)
  if (fault !== undefined) onFalseUsage?.(fault)
  return {
    type: 'finish',
    reason,
    toolCalls,
    usage,
    ...(isWorthKeeping(parts) && { attached: { upstream, json: JSON.stringify(parts) } }),
    ...(leftOut.length > 0 && { leftOut }),
  }
}
