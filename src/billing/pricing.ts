/** The price of one model, in micro-credits. */
export type Price = {
  readonly inputMicrosPerToken: bigint
  readonly outputMicrosPerToken: bigint
  readonly toolCallMicros: bigint
  /** Prices of single tools, by name. */
  readonly toolMicros?: ReadonlyMap<string, bigint>
}

/** Per 1,000 prompt tokens 0.1 credits, per 1,000 completion tokens 0.4, per tool call 0.05. */
export const defaultPrice: Price = Object.freeze({
  inputMicrosPerToken: 100n,
  outputMicrosPerToken: 400n,
  toolCallMicros: 50_000n,
})

/**
 * Cost of a model call in micro-credits.
 * @param usage whole, non-negative token counts.
 */
export function modelCallMicros(
  price: Price,
  usage: { readonly promptTokens: number; readonly completionTokens: number },
): bigint {
  return (
    BigInt(usage.promptTokens) * price.inputMicrosPerToken +
    BigInt(usage.completionTokens) * price.outputMicrosPerToken
  )
}

/** Price of one call of a tool, in micro-credits. */
export function toolCallPrice(price: Price, tool: string): bigint {
  return price.toolMicros?.get(tool) ?? price.toolCallMicros
}

/** Expected maximum tokens of a reply if the client sets no limit. */
const replyTokens = 4_000
/** Expected maximum tool calls of one reply. */
const toolCalls = 4

/**
 * Maximum cost of the next model call and its tool calls, in micro-credits. This amount must be held before the
 * call.
 * @param maxTokens the client's limit for the reply.
 */
export function nextCallMicros(price: Price, promptTokens: number, maxTokens: number | undefined): bigint {
  const completionTokens = Math.min(maxTokens ?? replyTokens, replyTokens * 8)
  return modelCallMicros(price, { promptTokens, completionTokens }) + BigInt(toolCalls) * price.toolCallMicros
}
