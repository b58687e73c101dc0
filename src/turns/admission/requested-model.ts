import type { ModelMessage } from '../../agent/provider.ts'
import { messagesTokens } from '../../agent/tokens.ts'
import { creditsText } from '../../billing/credits.ts'
import { nextCallMicros } from '../../billing/pricing.ts'
import { ServiceError } from '../../errors.ts'
import type { Catalogue, CatalogueModel } from '../../models/model-catalogue.ts'
import { replyLimit } from '../../models/sampling.ts'
import type { TurnInput } from './turn-input.ts'

/**
 * Finds a model in the catalogue.
 * @throws ServiceError `model_not_found`, which lists the available models.
 */
export function requireModel({ catalogue }: { readonly catalogue: Catalogue }, id: string): CatalogueModel {
  const model = catalogue.find(id)
  if (model) return model
  throw new ServiceError(
    'model_not_found',
    `There is no model "${id}". Use one of: ${catalogue.models.map((m) => m.id).join(', ')}.`,
    { param: 'model' },
  )
}

/** Tokens of our instructions and tools, which a prompt has besides the client's messages. */
export const ownTokens = { agent: 2_000, lite: 100 }

/** Maximum cost of the first model call, in micro-credits. Its prompt has the client's messages and our own part. */
export function firstCallMicros(
  model: Pick<CatalogueModel, 'price' | 'isLite' | 'maxOutputTokens'>,
  messages: readonly ModelMessage[],
  maxTokens: number | null | undefined,
): bigint {
  const tokens = messagesTokens(messages) + (model.isLite ? ownTokens.lite : ownTokens.agent)
  return nextCallMicros(model.price, tokens, replyLimit(model, maxTokens))
}

/**
 * The costs of a turn whose client bounds them.
 * @param maxCostMicros maximum cost of the turn in micro-credits; undefined: only the maximum of the service.
 * @param param the field that has it.
 * @throws ServiceError `invalid_value` if the first call may cost more than that, because a charge is never more than
 *   the hold.
 */
export function turnCosts(
  model: CatalogueModel,
  messages: readonly ModelMessage[],
  {
    maxTokens,
    maxCostMicros,
    param = 'max_cost',
  }: {
    readonly maxTokens?: number | null | undefined
    readonly maxCostMicros?: number | undefined
    readonly param?: string | undefined
  },
): Pick<TurnInput, 'firstCallMicros' | 'maxMicros'> {
  const first = firstCallMicros(model, messages, maxTokens)
  if (maxCostMicros === undefined) return { firstCallMicros: first }
  const maxMicros = BigInt(maxCostMicros)
  if (first <= maxMicros) return { firstCallMicros: first, maxMicros }
  throw new ServiceError(
    'invalid_value',
    `The first model call may cost ${creditsText(first)} credits, more than the \`max_cost\` of ${creditsText(maxMicros)}. Raise \`max_cost\`, or send less or a lower limit of tokens.`,
    { param },
  )
}
