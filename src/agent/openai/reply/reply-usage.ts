import { isRecord, type Json } from '../../json.ts'
import type { ReportedUsage } from '../../usage.ts'

type Figure = keyof ReportedUsage | 'totalTokens'

/** Where servers put each figure. The first one that is a number counts. */
const PLACES: Readonly<Record<Figure, readonly string[]>> = {
  promptTokens: ['prompt_tokens', 'input_tokens'],
  completionTokens: ['completion_tokens', 'output_tokens'],
  // The last two are DeepSeek's and Anthropic's.
  cachedTokens: [
    'prompt_tokens_details.cached_tokens',
    'input_tokens_details.cached_tokens',
    'cached_tokens',
    'prompt_cache_hit_tokens',
    'cache_read_input_tokens',
  ],
  cacheWriteTokens: ['prompt_tokens_details.cache_write_tokens', 'cache_creation_input_tokens'],
  reasoningTokens: [
    'completion_tokens_details.reasoning_tokens',
    'output_tokens_details.reasoning_tokens',
    'reasoning_tokens',
  ],
  // OpenRouter's.
  cost: ['cost'],
  totalTokens: ['total_tokens'],
}
const PATHS = Object.entries(PLACES).map(
  ([name, places]) => [name as Figure, places.map((place) => place.split('.'))] as const,
)

/** A non-negative number, also one that a gateway made a text. */
function figure(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined
}

function figureAt(usage: Json, places: readonly (readonly string[])[]): number | undefined {
  for (const path of places) {
    const value = path.reduce<unknown>((place, name) => (isRecord(place) ? place[name] : undefined), usage)
    const found = figure(value)
    if (found !== undefined) return found
  }
  return undefined
}

/** The usage that an upstream reports, wherever it puts it. */
export class ReplyUsage {
  readonly #figures: Partial<Record<Figure, number>> = {}

  get reported(): ReportedUsage {
    const { totalTokens = 0, promptTokens, completionTokens, ...others } = this.#figures
    const beside = totalTokens - (promptTokens ?? totalTokens) - (completionTokens ?? 0)
    const cached = (others.cachedTokens ?? 0) + (others.cacheWriteTokens ?? 0)
    // xAI and Gemini count reasoning in the total only. Gateways to Anthropic do so with cached tokens.
    if (completionTokens === undefined || beside <= 0 || beside === cached)
      return { promptTokens, completionTokens, ...others }
    return { promptTokens, reasoningTokens: beside, ...others, completionTokens: completionTokens + beside }
  }

  /** Reads the usage of a chunk: its own, its choices', or Groq's. */
  note(chunk: Json): void {
    this.#read(chunk['usage'])
    const groq = chunk['x_groq']
    if (isRecord(groq)) this.#read(groq['usage'])
    const { choices } = chunk
    if (Array.isArray(choices))
      for (const choice of choices) if (isRecord(choice)) this.#read(choice['usage'])
  }

  /** A later figure replaces an earlier one, except that some servers end with zeros. */
  #read(usage: unknown): void {
    if (!isRecord(usage)) return
    for (const [name, places] of PATHS) {
      const found = figureAt(usage, places)
      if (found !== undefined) this.#figures[name] = found || (this.#figures[name] ?? found)
    }
  }
}
