/** The price of one model, in micro-credits. */
export type Price = {
  readonly inputMicrosPerToken: bigint
  readonly outputMicrosPerToken: bigint
  readonly toolCallMicros: bigint
  /** Prices of single tools, by name. */
  readonly toolMicros?: ReadonlyMap<string, bigint>
  /** Of prompt tokens that the upstream read from its cache; default: as the others. */
  readonly cachedInputMicrosPerToken?: bigint
  /** Of prompt tokens that the upstream wrote to its cache; default: as the others. */
  readonly cacheWriteMicrosPerToken?: bigint
  /** Of tokens that the model spent on reasoning; default: as the others. */
  readonly reasoningMicrosPerToken?: bigint
  /** Per unit of the cost that the upstream itself reports. It is then the price of a call, instead of its tokens. */
  readonly microsPerProviderUnit?: bigint
}

/** The tokens of a model call, all whole and not negative, and its price at the upstream if that reports it. */
export type CallTokens = {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
  readonly cost?: number
}

/** Per 1,000 prompt tokens 0.1 credits, per 1,000 completion tokens 0.4, per tool call 0.05. */
export const defaultPrice: Price = Object.freeze({
  inputMicrosPerToken: 100n,
  outputMicrosPerToken: 400n,
  toolCallMicros: 50_000n,
})

/** Cost of a model call in micro-credits. */
export function modelCallMicros(price: Price, usage: CallTokens): bigint {
  const { cost } = usage
  if (price.microsPerProviderUnit !== undefined && cost !== undefined && cost >= 0)
    return providerMicros(cost, price.microsPerProviderUnit)
  const { inputMicrosPerToken: input, outputMicrosPerToken: output } = price
  const prompt = BigInt(usage.promptTokens)
  const cached = atMost(usage.cachedTokens, prompt)
  const written = atMost(usage.cacheWriteTokens, prompt - cached)
  const completion = BigInt(usage.completionTokens)
  const reasoning = atMost(usage.reasoningTokens, completion)
  return (
    (prompt - cached - written) * input +
    cached * (price.cachedInputMicrosPerToken ?? input) +
    written * (price.cacheWriteMicrosPerToken ?? input) +
    (completion - reasoning) * output +
    reasoning * (price.reasoningMicrosPerToken ?? output)
  )
}

function atMost(count: number | undefined, limit: bigint): bigint {
  const tokens = BigInt(count ?? 0)
  return tokens < limit ? tokens : limit
}

/** Decimals of an upstream's cost that count. Prices of single tokens have fewer. */
const costDecimals = 12

/** The price of a cost that the upstream reported, rounded up. */
function providerMicros(cost: number, microsPerUnit: bigint): bigint {
  const scale = 10n ** BigInt(costDecimals)
  const scaled = BigInt(cost.toFixed(costDecimals).replace('.', '')) * microsPerUnit
  return (scaled + scale - 1n) / scale
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
  const tokens =
    BigInt(promptTokens) *
      dearest(price.inputMicrosPerToken, price.cachedInputMicrosPerToken, price.cacheWriteMicrosPerToken) +
    BigInt(completionTokens) * dearest(price.outputMicrosPerToken, price.reasoningMicrosPerToken)
  return tokens + BigInt(toolCalls) * price.toolCallMicros
}

const dearest = (first: bigint, ...others: readonly (bigint | undefined)[]): bigint =>
  others.reduce<bigint>((most, one) => (one !== undefined && one > most ? one : most), first)
