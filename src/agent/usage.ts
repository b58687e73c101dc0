import type { ModelRequest, Usage } from './provider.ts'
import { estimateTokens, messagesTokens } from './tokens.ts'
import { toolTokens } from './tool-text.ts'

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

export type JudgedUsage = {
  readonly usage: Usage
  /** An impossible count, in words for the log. */
  readonly fault: string | undefined
}

/**
 * The usage of a finished call: the server's counts if they are plausible, otherwise our estimate. A prompt has
 * at most as many tokens as bytes, plus what a server may add. No count may exceed twice the model's window,
 * because the operator may have configured it too small. A non-empty reply has more than zero tokens. A part of a
 * count is kept if the count holds and is not smaller.
 * @param reply text and tool calls as written.
 */
export function judgeUsage(
  request: Prompt,
  reply: string,
  reported: ReportedUsage,
  contextTokens: number,
): JudgedUsage {
  const window = windowFactor * contextTokens
  const prompt = wholeNumber(reported.promptTokens)
  const completion = wholeNumber(reported.completionTokens)
  const promptFault = fault('prompt', prompt, () => Math.min(window, maxPromptTokens(request)))
  const completionFault = fault('completion', completion, () => window)
  const promptHolds = prompt !== undefined && prompt > 0 && !promptFault
  const completionHolds = completion !== undefined && (completion > 0 || reply === '') && !completionFault
  return {
    usage: {
      promptTokens: promptHolds ? prompt : promptTokens(request),
      completionTokens: completionHolds ? completion : estimateTokens(reply),
      estimated: !promptHolds || !completionHolds,
      ...partOf('cachedTokens', reported, promptHolds ? prompt : 0),
      ...partOf('cacheWriteTokens', reported, promptHolds ? prompt : 0),
      ...partOf('reasoningTokens', reported, completionHolds ? completion : 0),
      ...costOf(reported),
    },
    fault: promptFault ?? completionFault,
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
