import { expect, test } from 'vitest'
import { inStrictForm, withImagesAfterResults } from '../../src/agent/conversation.ts'
import type { ModelMessage } from '../../src/agent/provider.ts'

const system = (content: string): ModelMessage => ({ role: 'system', content })
const user = (content: string): ModelMessage => ({ role: 'user', content })
const said = (content: string): ModelMessage => ({ role: 'assistant', content, toolCalls: [] })
const calls = (...ids: readonly string[]): ModelMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'search', arguments: '{}' })),
})
const result = (callId: string, content = `result of ${callId}`): ModelMessage => ({
  role: 'tool',
  callId,
  content,
})
const image = { type: 'image_url', url: 'data:image/png;base64,AAAA' } as const

test('system messages from everywhere become one, at the beginning', () => {
  const form = inStrictForm([system('A'), user('1'), system('B'), said('2'), system(' '), user('3')])
  expect(form).toEqual([system('A\n\nB'), user('1'), said('2'), user('3')])
})

test('a conversation in strict form is passed on message by message', () => {
  const messages = [system('A'), user('1'), calls('x', 'y'), result('x'), result('y'), said('2'), user('3')]
  const form = inStrictForm(messages)
  expect(form.every((message, at) => message === messages[at])).toBe(true)
  expect(form).toHaveLength(messages.length)
})

test('a call without a result gets one, so that the conversation can go on', () => {
  const form = inStrictForm([user('1'), calls('x', 'y'), result('y'), user('Never mind')])
  expect(form.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
  expect(form[2]).toMatchObject({ callId: 'x', content: expect.stringContaining('No result') })
  expect(form[3]).toEqual(result('y'))
})

test('results follow their reply in the order of its calls, wherever they were sent', () => {
  const form = inStrictForm([user('1'), calls('x', 'y'), user('2'), result('y'), result('x')])
  expect(form.map((message) => ('callId' in message ? message.callId : message.role))).toEqual([
    'user',
    'assistant',
    'x',
    'y',
    'user',
  ])
})

test('replies may use the same ids; each gets its own results', () => {
  const form = inStrictForm([
    user('1'),
    calls('x'),
    result('x', 'first'),
    calls('x'),
    result('x', 'second'),
    said('2'),
  ])
  expect(form.map(({ content }) => content)).toEqual(['1', '', 'first', '', 'second', '2'])
})

test('a result without its call is kept, as words of the user', () => {
  expect(inStrictForm([user('1'), said('2'), result('lost', 'rain')])).toEqual([
    user('1'),
    said('2'),
    user('Result of a tool: rain'),
  ])
})

test('user and assistant alternate; empty answers are left out', () => {
  const parts: ModelMessage = { role: 'user', content: [image] }
  expect(inStrictForm([user('1'), said(''), user('2'), parts, said('a'), said('b'), calls('x')])).toEqual([
    { role: 'user', content: [{ type: 'text', text: '1\n\n2' }, image] },
    { role: 'assistant', content: 'a\n\nb', toolCalls: [{ id: 'x', name: 'search', arguments: '{}' }] },
    expect.objectContaining({ role: 'tool', callId: 'x' }),
  ])
})

test('images of results move behind all results of their reply', () => {
  const seen: ModelMessage = { role: 'tool', callId: 'x', content: '[image]', images: [image] }
  const moved = withImagesAfterResults([user('1'), calls('x', 'y'), seen, result('y'), user('What is it?')])
  expect(moved.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
  expect(moved.at(-1)?.content).toEqual([
    { type: 'text', text: 'Images of the tool results:' },
    image,
    { type: 'text', text: 'What is it?' },
  ])
})
