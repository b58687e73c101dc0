import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitContext } from '../../src/agent/loop/context.ts'
import type { ModelMessage } from '../../src/agent/provider.ts'
import { messagesTokens } from '../../src/agent/tokens.ts'
import { expectLinear } from '../support/growth.ts'

const words = (count: number) => 'word '.repeat(count).trim()
const user = (text: string): ModelMessage => ({ role: 'user', content: text })
const assistant = (text: string, calls: readonly string[] = []): ModelMessage => ({
  role: 'assistant',
  content: text,
  toolCalls: calls.map((id) => ({ id, name: 'read_source', arguments: '{}' })),
})
const result = (callId: string, text: string): ModelMessage => ({ role: 'tool', callId, content: text })
const system: ModelMessage = { role: 'system', content: 'Stay.' }

const tokens = messagesTokens

test('a conversation that fits is given as it is', () => {
  const messages = [system, user('a'), assistant('b'), user('c')]
  expect(fitContext(messages, 1_000)).toBe(messages)
})

test('tool results go first, the oldest first, and the newest two stay', () => {
  const messages = [
    system,
    user('question'),
    assistant('', ['1', '2', '3']),
    result('1', words(400)),
    result('2', words(400)),
    result('3', words(400)),
  ]
  const fitted = fitContext(messages, tokens(messages) - 100)
  expect(fitted.map((message, i) => message === messages[i])).toEqual([true, true, true, false, true, true])
  expect(JSON.stringify(fitted[3])).toContain('left out')
  expect(fitContext(messages, 10).slice(4)).toEqual(messages.slice(4))
})

test('whole earlier turns are dropped next, oldest first, with a note to the model', () => {
  const turns = [1, 2, 3].flatMap((n) => [user(`question ${n} ${words(100)}`), assistant(`answer ${n}`)])
  const messages = [system, ...turns, user('the last question')]
  const fitted = fitContext(messages, tokens(messages) - 50)
  expect(fitted[0]).toBe(system)
  expect(JSON.stringify(fitted[1])).toContain('left out')
  expect(fitted.slice(2)).toEqual(messages.slice(3))
  expect(fitContext(messages, 1).at(-1)).toEqual(user('the last question'))
})

const message = fc.oneof(
  fc.string({ maxLength: 300 }).map((text) => [user(text)]),
  fc
    .tuple(fc.string({ maxLength: 300 }), fc.array(fc.string({ maxLength: 600 }), { maxLength: 3 }))
    .map(([text, results]) => [
      assistant(
        text,
        results.map((_, i) => String(i)),
      ),
      ...results.map((content, i) => result(String(i), content)),
    ]),
)

test('cutting keeps the last question and each call with its result, and never grows', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), fc.integer({ min: 1, max: 1_000 }), (parts, budget) => {
      const messages = [
        system,
        ...parts.flat(),
        user('the last question'),
        assistant('', ['x']),
        result('x', 'y'),
      ]
      const fitted = fitContext(messages, budget)
      expect(fitted.slice(-3)).toEqual(messages.slice(-3))
      expect(fitted[0]).toBe(system)
      fitted.forEach((one, i) => {
        if (one.role === 'tool') expect(['tool', 'assistant']).toContain(fitted[i - 1]?.role)
      })
      if (tokens(messages) <= budget) expect(fitted).toBe(messages)
    }),
  )
})

test('a conversation with 20,000 tool results is fitted in proportion to their number', async () => {
  const conversation = (results: number) => [
    system,
    user('a'),
    ...Array.from({ length: results }, (_, n) => result(String(n), words(100))),
  ]
  await expectLinear(conversation, (messages) => fitContext(messages, 1_000), 20_000)
})
