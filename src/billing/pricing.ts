/** What one model costs, in micro-credits. */
export type Price = {
  readonly inputMicrosPerToken: bigint
  readonly outputMicrosPerToken: bigint
  readonly toolCallMicros: bigint
  /** Tools that cost something else, by name. */
  readonly toolMicros?: ReadonlyMap<string, bigint>
}

/** 0.1 credits for 1,000 tokens in, 0.4 for 1,000 out, 0.05 for a tool call. */
export const defaultPrice: Price = Object.freeze({
  inputMicrosPerToken: 100n,
  outputMicrosPerToken: 400n,
  toolCallMicros: 50_000n,
})

/** @param usage whole, non-negative token counts. */
export function modelCallMicros(
  price: Price,
  usage: { readonly promptTokens: number; readonly completionTokens: number },
): bigint {
  return (
    BigInt(usage.promptTokens) * price.inputMicrosPerToken +
    BigInt(usage.completionTokens) * price.outputMicrosPerToken
  )
}

/** What one call of a tool costs. */
export function toolCallPrice(price: Price, tool: string): bigint {
  return price.toolMicros?.get(tool) ?? price.toolCallMicros
}

/** Tokens that a reply is expected to have at most when the client names no bound. */
const replyTokens = 4_000
/** Tool calls that one reply is expected to make at most. */
const toolCalls = 4

/**
 * What the next model call may cost, with the tool calls it may make: the credits that must be set aside before it.
 * @param maxTokens the client's bound on the reply.
 */
export function nextCallMicros(price: Price, promptTokens: number, maxTokens: number | undefined): bigint {
  const completionTokens = Math.min(maxTokens ?? replyTokens, replyTokens * 8)
  return modelCallMicros(price, { promptTokens, completionTokens }) + BigInt(toolCalls) * price.toolCallMicros
}
