import type { Sampling } from '../agent/provider.ts'
import type { Entry } from './models-file.ts'

/** What a model adds to the sampling of a request. */
export type SamplingOfModel = {
  /** Options of requests that have none themselves. */
  readonly defaults: Sampling
  /** Maximum tokens of a reply. It applies also if a request asks for more. */
  readonly maxOutputTokens?: number
}

/** The sampling options of an entry of `MODELS_FILE`. A budget of reasoning tokens is the provider's own option. */
export function samplingOfModel(model: Entry): SamplingOfModel {
  const { temperature, top_p: topP, stop, seed, reasoning, max_output_tokens: maxOutputTokens } = model
  const effort = reasoning === 'off' ? 'none' : reasoning
  return {
    defaults: {
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      ...(stop && { stop }),
      ...(seed !== undefined && { seed }),
      ...(typeof effort === 'string' && { reasoningEffort: effort }),
    },
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  }
}

/** Maximum tokens of a reply: the lower limit of model and request. Undefined: neither has one. */
export function replyLimit(
  { maxOutputTokens }: Pick<SamplingOfModel, 'maxOutputTokens'>,
  maxTokens: number | null | undefined,
): number | undefined {
  const limits = [maxOutputTokens, maxTokens].filter((limit) => typeof limit === 'number')
  return limits.length === 0 ? undefined : Math.min(...limits)
}

/** The sampling of a request to a model. */
export function samplingFor(model: SamplingOfModel, sampling: Sampling): Sampling {
  const maxTokens = replyLimit(model, sampling.maxTokens)
  return { ...model.defaults, ...sampling, ...(maxTokens !== undefined && { maxTokens }) }
}
