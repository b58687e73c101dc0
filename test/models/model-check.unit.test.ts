import { expect, test } from 'vitest'
import { agentPrompt } from '../../src/agent/prompts/prompts.ts'
import type { Finish, Provider } from '../../src/agent/provider.ts'
import { defaultPrice } from '../../src/billing/pricing.ts'
import type { CheckResult } from '../../src/models/check/model-check.ts'
import { checkModel } from '../../src/models/check/run-checks.ts'
import type { CheckId } from '../../src/models/check/wording.ts'
import type { CatalogueModel } from '../../src/models/model-catalogue.ts'

const usage = { promptTokens: 20, completionTokens: 100, estimated: false }
const whole: Finish = { type: 'finish', reason: 'stop', toolCalls: [], usage }

/** A model whose replies are always the same words. */
const saying = (text: string, end: (request: Parameters<Provider['ask']>[0]) => Finish): CatalogueModel => ({
  ...{ id: 'm', title: 'm', created: 0, price: defaultPrice, contextTokens: 1_000 },
  ...{ readsImages: false, isBuiltIn: false, usesOutsideTools: true, isLite: false, defaults: {} },
  prompt: agentPrompt(),
  provider: {
    ask: async (request, _, onText) => {
      onText(text)
      return end(request)
    },
  },
})

async function resultOf(
  id: CheckId,
  model: CatalogueModel,
  now?: () => number,
): Promise<CheckResult | undefined> {
  const { signal } = new AbortController()
  const { checks } = await checkModel(model, { signal, ...(now && { now }) })
  return checks.find((one) => one.id === id)
}

test('a check is adapted when another server of the model answered', async () => {
  const upstream = { name: 'second', passed: [{ name: 'first', reason: 'timeout' }] } as const
  const model = saying('Ready.', () => ({ ...whole, upstream }))
  expect(await resultOf('answer', model)).toMatchObject({ status: 'adapted', note: 'first (timeout)' })
})

test('an answer in one piece fails the check of streams only when it came late', async () => {
  const model = saying('Ready.', () => whole)
  expect(await resultOf('stream', model, clock(100))).toMatchObject({ status: 'ok' })
  expect(await resultOf('stream', model, clock(5_000))).toMatchObject({ finding: 'one_piece' })
  expect(await resultOf('first_text', model, clock(5_000))).toMatchObject({ status: 'ok' })
  expect(await resultOf('first_text', model, clock(30_000))).toMatchObject({ finding: 'slow_first_text' })
})

test('a run that used its bound of tokens starts no further check', async () => {
  const model = saying('Ready.', () => ({ ...whole, usage: { ...usage, promptTokens: 200_000 } }))
  expect(await resultOf('system', model)).toMatchObject({ status: 'skipped', finding: 'token_bound' })
})

/** A clock that goes on by so many milliseconds whenever it is read. */
function clock(stepMs: number): () => number {
  let now = 0
  return () => {
    now += stepMs
    return now
  }
}
