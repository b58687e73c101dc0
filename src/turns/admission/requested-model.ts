import type { ModelMessage } from '../../agent/provider.ts'
import { messagesTokens } from '../../agent/tokens.ts'
import { nextCallMicros, type Price } from '../../billing/pricing.ts'
import { ServiceError } from '../../errors.ts'
import type { Catalogue, CatalogueModel } from '../../models/model-catalogue.ts'

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

/**
 * Maximum cost of the first model call, in micro-credits. The prompt is the client's messages and about 2,000
 * tokens of our instructions and tools.
 */
export function firstCallMicros(
  price: Price,
  messages: readonly ModelMessage[],
  maxTokens: number | null | undefined,
): bigint {
  return nextCallMicros(price, messagesTokens(messages) + 2_000, maxTokens ?? undefined)
}
