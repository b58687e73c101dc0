import { expect, test } from 'vitest'
import { z } from 'zod'
import { asDeclared, withArguments } from '../../src/agent/tools.ts'

const schema = z.object({
  query: z.string(),
  language: z.string().min(2).optional(),
  limit: z.int().min(1).default(8),
  share: z.number().optional(),
  exact: z.boolean().optional(),
  refs: z.array(z.string()).default([]),
})

test.each([
  ['null for an argument that is left out', { query: 'bittul', language: null }, { query: 'bittul' }],
  ['an empty text for an argument that is left out', { query: 'bittul', language: '' }, { query: 'bittul' }],
  ['a whole number as text', { query: 'bittul', limit: ' 3 ' }, { query: 'bittul', limit: 3 }],
  ['a number as text', { query: 'bittul', share: '-0.5' }, { query: 'bittul', share: -0.5 }],
  ['a truth value as text', { query: 'bittul', exact: 'True' }, { query: 'bittul', exact: true }],
  ['a list as text', { query: 'bittul', refs: '["Tanya 1"]' }, { query: 'bittul', refs: ['Tanya 1'] }],
  ['one text for a list', { query: 'bittul', refs: 'Tanya 1' }, { query: 'bittul', refs: ['Tanya 1'] }],
  ['a text as number', { query: 32 }, { query: '32' }],
  ['no arguments at all', null, {}],
])('%s is read as meant', (_, sent, meant) => {
  expect(asDeclared(schema, sent)).toEqual(meant)
})

test.each([
  ['query', { query: '' }, 'query'],
  ['limit', { query: 'bittul', limit: 'three' }, 'limit'],
  ['limit', { query: 'bittul', limit: '0' }, 'limit'],
])('a wrong %s is refused by its name', async (_, args, named) => {
  const strict = schema.extend({ query: z.string().min(1) })
  const { content } = await withArguments(strict, args, async () => ({ content: 'run' }))
  expect(content).toContain(`"error":"${named}: `)
})
