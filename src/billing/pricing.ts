/** What one model costs, in micro-credits. */
export type Price = {
  readonly inputMicrosPerToken: bigint
  readonly outputMicrosPerToken: bigint
  readonly toolCallMicros: bigint
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
