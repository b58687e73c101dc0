import type { ModelRequest, Usage } from './provider.ts'
import { estimateTokens, messagesTokens, toolTokens } from './tokens.ts'

type Prompt = Pick<ModelRequest, 'messages' | 'tools'>

/** Estimated tokens of a request. */
export function promptTokens({ messages, tools }: Prompt): number {
  return messagesTokens(messages) + toolTokens(tools)
}

/**
 * Estimated usage of a call that was cut off or has no reported counts.
 * @param reply text and tool calls as written.
 */
export function estimateUsage(request: Prompt, reply: string): Usage {
  return { promptTokens: promptTokens(request), completionTokens: estimateTokens(reply), estimated: true }
}

/** Figures that a model's server reported. */
export type ReportedUsage = {
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
  /** The other figures, as `Usage` describes them. */
  readonly cachedTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  readonly cost?: number | undefined
}

/** Gives the usage of a finished call. @param reply text and tool calls as written. */
export type UsageJudge = (request: Prompt, reply: string, reported: ReportedUsage) => Usage

/**
 * Judges the usage of finished calls: the server's counts if they are plausible, otherwise our estimate. A prompt has
 * at most as many tokens as bytes, plus what a server may add. No count may exceed twice the model's window,
 * because the operator may have configured it too small. A non-empty reply has more than zero tokens. A part of a
 * count is kept if the count holds and is not smaller.
 * @param onFalseUsage called for the first impossible count, in words for the log: a server that counts wrong does so in
 *   every call.
 */
export function usageJudge(contextTokens: number, onFalseUsage?: (fault: string) => void): UsageJudge {
  const window = windowFactor * contextTokens
  let tell = onFalseUsage
  const plausible = (name: string, reported: number | undefined, most: () => number) => {
    const count = wholeNumber(reported)
    const wrong = fault(name, count, most)
    if (wrong === undefined) return count
    tell?.(wrong)
    tell = undefined
    return undefined
  }
  return (request, reply, reported) => {
    const mostRead = () => Math.min(window, maxPromptTokens(request))
    const prompt = plausible('prompt', reported.promptTokens, mostRead) || undefined
    const written = plausible('completion', reported.completionTokens, () => window)
    const completion = reply === '' ? written : written || undefined
    return {
      promptTokens: prompt ?? promptTokens(request),
      completionTokens: completion ?? estimateTokens(reply),
      estimated: prompt === undefined || completion === undefined,
      ...partOf('cachedTokens', reported, prompt ?? 0),
      ...partOf('cacheWriteTokens', reported, prompt ?? 0),
      ...partOf('reasoningTokens', reported, completion ?? 0),
      ...costOf(reported),
    }
  }
}

function wholeNumber(count: number | undefined): number | undefined {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

type Part = 'cachedTokens' | 'cacheWriteTokens' | 'reasoningTokens'

function partOf(name: Part, reported: ReportedUsage, whole: number): Partial<Usage> {
  const part = wholeNumber(reported[name])
  return part !== undefined && part <= whole ? { [name]: part } : {}
}

function costOf({ cost }: ReportedUsage): Partial<Usage> {
  return cost !== undefined && Number.isFinite(cost) && cost >= 0 ? { cost } : {}
}

const windowFactor = 2

function fault(name: string, count: number | undefined, most: () => number): string | undefined {
  // Nearly every count is below this bound and needs no further check.
  if (count === undefined || count <= plainTokens) return undefined
  const bound = most()
  return count > bound ? `${count} ${name} tokens, where at most ${bound} are possible` : undefined
}

/** Tokens that a server may add to any prompt: a template, its own instructions. */
const plainTokens = 4_096
/** Tokens of the delimiters of one message or tool in a template. */
const wrapperTokens = 64
/** Some models count an image several times. */
const maxImageTokens = 50_000

function maxPromptTokens({ messages, tools }: Prompt): number {
  const bytes = messages.reduce((sum, message) => sum + messageBytes(message), 0)
  const toolBytes = tools.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(tools))
  return plainTokens + bytes + toolBytes + wrapperTokens * (messages.length + tools.length)
}

function messageBytes(message: ModelRequest['messages'][number]): number {
  if (message.role !== 'user' || typeof message.content === 'string') {
    return Buffer.byteLength(JSON.stringify(message))
  }
  return message.content.reduce(
    (sum, part) =>
      sum + (part.type === 'image_url' ? maxImageTokens : Buffer.byteLength(JSON.stringify(part))),
    0,
  )
}
