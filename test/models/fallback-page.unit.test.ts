import { expect, test } from 'vitest'
import type { ConversationTurn } from '../../src/turns/read/conversation.ts'
import { asWritten } from '../../src/web/pages/ref-names.ts'
import { runPage } from '../../src/web/pages/runs/run-views.ts'
import { textsIn } from '../../src/web/texts/catalogue.ts'

test('the page of a run shows which server answered a step, and why others did not', () => {
  const upstream = {
    name: 'small <1>',
    passed: [{ name: 'large', reason: 'timeout' as const }],
  }
  const step = {
    ...{
      step: 1,
      kind: 'model' as const,
      title: 'Writing the answer',
      failed: false,
      tookMs: 1,
      costMicros: 0n,
    },
    ...{ promptTokens: 1, completionTokens: 1, refs: [], upstream },
  }
  const run = { id: 'run_1', status: 'completed', createdAt: new Date(), finishedAt: new Date() }
  const turn = { run: { ...run, costMicros: 0n }, question: '', steps: [step], end: { usage: {} } }
  const { main } = runPage(textsIn('en'), turn as unknown as ConversationTurn, asWritten, {
    why: ['Charged <2> credits.'],
  })
  expect(`${main}`).toContain('<li>Charged &lt;2&gt; credits.</li>')
  expect(`${main}`).toContain('Server: small &lt;1&gt;. large did not answer in time.')
})
