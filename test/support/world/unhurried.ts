import { builtInPlans, type Plans } from '../../../src/accounts/plans.ts'
import { offerOf } from '../../../src/models/embedding-offer.ts'
import { reply } from '../upstream-scripts.ts'

/** What the model of an unhurried world answers to everything. */
export const answerText = 'A beinoni is one in whom only the divine soul acts.'

/** The built-in plans, but no rate limit stops a test, and `basic` stores next to nothing. */
const plans: Plans = {
  names: builtInPlans.names,
  of: (name) => ({
    ...builtInPlans.of(name),
    requestsPerMinute: 1_000_000,
    turnsPerMinute: 1_000_000,
    ...(name === 'basic' && { fileBytes: 64 * 1024, storedBytes: 100 * 1024 }),
  }),
}

/** An embedding model without a server. */
const embeddings = offerOf(
  {
    name: 'embedding',
    embed: async (texts) => texts.map(() => [1, 0]),
    encode: async (input) => ({ vectors: input.map(() => [1, 0]), promptTokens: undefined }),
    close: async () => undefined,
  },
  20n,
)

/** Options of a world without rate limits, whose model answers at once and calls no tool. */
export const unhurried = { plans, script: reply(answerText), embeddings } as const
