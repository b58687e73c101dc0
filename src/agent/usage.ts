import type { ModelRequest, Usage } from './provider.ts'
import { estimateTokens, messagesTokens } from './tokens.ts'
import { toolTokens } from './tool-text.ts'

type Prompt = Pick<ModelRequest, 'messages' | 'tools'>

/** What a request takes of the model's window, estimated. */
export function promptTokens({ messages, tools }: Prompt): number {
  return messagesTokens(messages) + toolTokens(tools)
}

/** Usage of a call that nobody else has counted, or that was cut off. @param reply text and tool calls, as written. */
export function estimateUsage(request: Prompt, reply: string): Usage {
  return { promptTokens: promptTokens(request), completionTokens: estimateTokens(reply), estimated: true }
}

/** Token counts as a model's server reports them, each a whole number or missing. */
export type ReportedUsage = {
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
}

export type JudgedUsage = {
  readonly usage: Usage
  /** A count that cannot be, in words for the log. */
  readonly fault: string | undefined
}

/**
 * The usage of a finished call: the server's counts where they can be true, else our estimate. A reply with something in
 * it took more than no tokens. A prompt has no more tokens than bytes, with room for what a server adds; neither count
 * exceeds the model's window by more than the factor by which the operator may have named too small a one.
 * @param reply text and tool calls, as written.
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
      estimated: !promptHolds || !completionHolds,
    },
    fault: promptFault ?? completionFault,
  }
}

const windowFactor = 2

function fault(name: string, count: number | undefined, most: () => number): string | undefined {
  // Nearly every count is far below what would have to be looked at more closely.
  if (count === undefined || count <= plainTokens) return undefined
  const bound = most()
  return count > bound ? `${count} ${name} tokens, where at most ${bound} are possible` : undefined
}

/** What a server may put before any prompt by itself: a template, instructions of its own. */
const plainTokens = 4_096
/** Delimiters of one message or tool in a template. */
const wrapperTokens = 64
/** Some models count an image many times over. */
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
