import type { Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import { answerFormatOf, formatInstruction } from '../../agent/schema/answer-format.ts'
import { estimateTokens, messageOverhead, messagesTokens, toolTokens } from '../../agent/tokens.ts'
import { creditsText } from '../../billing/credits.ts'
import { nextCallMicros } from '../../billing/pricing.ts'
import { ServiceError } from '../../errors.ts'
import type { Catalogue, CatalogueModel } from '../../models/model-catalogue.ts'
import { replyLimit } from '../../models/sampling.ts'
import type { RunnerServices } from '../drive/run-turn.ts'
import { specsOf, type ToolServices } from '../drive/turn-tools.ts'
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

/** What decides how large the first prompt of a turn is, besides the stored history of its session. */
export type AskedPrompt = Pick<TurnInput, 'messages' | 'request'>

/** What knows the tools of a turn. */
export type PromptServices = ToolServices & Pick<RunnerServices, 'mcpServers'>

/**
 * Estimated tokens of the first prompt of a turn: the instructions of the service, the host and the request, all tools,
 * and the messages. Those of the project are counted at the start, which knows the project.
 */
export async function firstPromptTokens(
  services: PromptServices,
  principal: Principal,
  model: CatalogueModel,
  { messages, request }: AskedPrompt,
): Promise<number> {
  const { clientTools, instructions, sampling, toolGroups } = request
  const format = formatInstruction(answerFormatOf(sampling))
  const told = estimateTokens(model.prompt.text) + estimateTokens(format)
  const system: readonly ModelMessage[] =
    instructions === undefined ? [] : [{ role: 'system', content: instructions }]
  const conversation = told + messagesTokens(system) + messagesTokens(messages) + messageOverhead
  if (model.isLite) return conversation
  const outside = model.usesOutsideTools && !toolGroups ? services.mcpServers : undefined
  const others = await outside?.forTurn(async () => principal.plan.name)
  const replaced = new Set(clientTools.map(({ name }) => name))
  const own = specsOf(services, toolGroups)
  const kept = replaced.size === 0 ? own : own.filter(({ name }) => !replaced.has(name))
  const lists = [kept, others?.specs ?? [], clientTools]
  return lists.reduce((sum, list) => sum + toolTokens(list), conversation)
}

/** How a client bounds the cost of its turn. */
export type CostBound = {
  /** In micro-credits. Undefined: only the maximum of the service. */
  readonly maxCostMicros?: number | undefined
  /** The field that has it, for error messages. */
  readonly maxCostParam?: string | undefined
}

/**
 * The costs of a turn: that of its first model call, and its maximum if the client sets one.
 * @throws ServiceError `invalid_value` if the first call may cost more than that maximum, because a charge is never more
 *   than the hold.
 */
export async function turnCosts(
  services: PromptServices,
  principal: Principal,
  model: CatalogueModel,
  asked: AskedPrompt & CostBound,
): Promise<Pick<TurnInput, 'firstCallMicros' | 'maxMicros' | 'tokenMicros'>> {
  const tokens = await firstPromptTokens(services, principal, model, asked)
  const limit = replyLimit(model, asked.request.sampling.maxTokens)
  const first = nextCallMicros(model.price, tokens, limit)
  const costs = {
    firstCallMicros: first,
    ...(!model.isLite && { tokenMicros: model.price.inputMicrosPerToken }),
  }
  const { maxCostMicros, maxCostParam = 'max_cost' } = asked
  if (maxCostMicros === undefined) return costs
  const maxMicros = BigInt(maxCostMicros)
  if (first <= maxMicros) return { ...costs, maxMicros }
  throw new ServiceError(
    'invalid_value',
    `The first model call may cost ${creditsText(first)} credits, more than the \`max_cost\` of ${creditsText(maxMicros)}. Raise \`max_cost\`, or send less or a lower limit of tokens.`,
    { param: maxCostParam },
  )
}
