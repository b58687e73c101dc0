import { builtInPlans, type Plans } from '../../../src/accounts/plans.ts'
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

/** Options of a world without rate limits, whose model answers at once and calls no tool. */
export const unhurried = { plans, script: reply(answerText) } as const
