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

/** Token counts that a model's server reported. Each is a whole number or missing. */
export type ReportedUsage = {
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
  readonly cachedTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  /** The upstream's own price of the call. */
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
 * because the operator may have configured it too small. A non-empty reply has more than zero tokens.
 * @param reply text and tool calls as written.
 */
export function judgeUsage(
  request: Prompt,
  reply: string,
  reported: ReportedUsage,
  contextTokens: number,
): JudgedUsage {
  const window = windowFactor * contextTokens
  const { promptTokens: prompt, completionTokens: completion } = reported
  const promptFault = fault('prompt', prompt, () => Math.min(window, maxPromptTokens(request)))
  const completionFault = fault('completion', completion, () => window)
  const promptHolds = prompt !== undefined && prompt > 0 && !promptFault
  const completionHolds = completion !== undefined && (completion > 0 || reply === '') && !completionFault
  return {
    usage: {
      promptTokens: promptHolds ? prompt : promptTokens(request),
      completionTokens: completionHolds ? completion : estimateTokens(reply),
      ...(promptHolds && promptParts(reported, prompt)),
      ...(completionHolds && partOf('reasoningTokens', reported.reasoningTokens, completion)),
      ...(reported.cost !== undefined && reported.cost >= 0 && { cost: reported.cost }),
      estimated: !promptHolds || !completionHolds,
    },
    fault: promptFault ?? completionFault,
  }
}

/** The tokens that the upstream read from its cache or wrote to it. Together they are at most the whole prompt. */
function promptParts(
  { cachedTokens, cacheWriteTokens }: ReportedUsage,
  prompt: number,
): Pick<Usage, 'cachedTokens' | 'cacheWriteTokens'> {
  const cached = partOf('cachedTokens', cachedTokens, prompt)
  return { ...cached, ...partOf('cacheWriteTokens', cacheWriteTokens, prompt - (cached.cachedTokens ?? 0)) }
}

function partOf<Name extends string>(
  name: Name,
  count: number | undefined,
  whole: number,
): Partial<Record<Name, number>> {
  if (count === undefined || count <= 0 || count > whole) return {}
  return { [name]: count } as Record<Name, number>
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
