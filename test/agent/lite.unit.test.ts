import { expect, test } from 'vitest'
import { createLiteProvider } from '../../src/agent/extractive/lite.ts'
import type { ModelRequest } from '../../src/agent/provider.ts'
import { expectLinear } from '../support/growth.ts'

async function titleFor(content: string): Promise<string> {
  let title = ''
  const request = {
    model: 'service-lite',
    messages: [{ role: 'user', content }],
    tools: [],
    toolChoice: 'none',
    sampling: {},
  } as unknown as ModelRequest
  await createLiteProvider().ask(request, new AbortController().signal, (text) => {
    title += text
    return true
  })
  return title
}

test('a title is the first words without the signs around them', async () => {
  expect(await titleFor('## What is *joy*?\nAnd why?')).toBe('What is *joy')
  expect(await titleFor('#'.repeat(5_000))).toBe('Conversation')
})

test.each([
  ['signs', '#'],
  ['spaces', ' '],
  ['line ends', '\n'],
  ['speakers', 'user:\n'],
])('a title takes linear time in a question of many %s', async (_, piece) => {
  const make = (size: number) => `a${piece.repeat(size / piece.length)}b`
  await expectLinear(make, titleFor, 24_000)
})
