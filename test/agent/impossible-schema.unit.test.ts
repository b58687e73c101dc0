import { expect, test } from 'vitest'
import { whyImpossible } from '../../src/agent/schema/impossible-schema.ts'

test.each([
  ['false', false],
  ['an exclusion of everything', { not: {} }],
  ['a minLength above maxLength', { type: 'string', minLength: 3, maxLength: 2 }],
  ['a minimum above maximum', { type: 'number', minimum: 3, maximum: 2 }],
  ['equal exclusive bounds', { type: 'number', exclusiveMinimum: 2, maximum: 2 }],
  ['no whole number between bounds', { type: 'integer', minimum: 1.2, maximum: 1.8 }],
  ['an empty enum', { enum: [] }],
  ['an enum of another type', { type: 'string', enum: [1, 2] }],
  ['an enum that contradicts bounds', { enum: ['a'], minLength: 2 }],
  ['an unknown type', { type: 'text' }],
  ['types that exclude each other', { type: 'string', allOf: [{ type: 'object' }] }],
  ['forms of another type', { type: 'string', anyOf: [{ type: 'object' }, { type: 'null' }] }],
  ['a required member that is forbidden', { type: 'object', required: ['a'], additionalProperties: false }],
  ['a required member without values', { type: 'object', properties: { a: { enum: [] } }, required: ['a'] }],
  ['more required members than allowed', { type: 'object', required: ['a', 'b'], maxProperties: 1 }],
  ['required items without values', { type: 'array', items: false, minItems: 1 }],
  [
    'a member that must contain itself',
    { type: 'object', properties: { child: { $ref: '#' } }, required: ['child'] },
  ],
  ['a reference to nothing possible', { $ref: '#/$defs/none', $defs: { none: { not: {} } } }],
])('%s is impossible', (_, schema) => {
  expect(whyImpossible(schema)).toEqual(expect.any(String))
})

test.each([
  ['no keyword', {}],
  ['an optional member without values', { type: 'object', properties: { a: false } }],
  ['an empty array of impossible items', { type: 'array', items: false }],
  ['another type than the contradictory one', { minLength: 3, maxLength: 2 }],
  ['one possible form', { anyOf: [false, { type: 'string' }] }],
  ['integers as numbers', { type: 'number', allOf: [{ type: 'integer' }] }],
  ['equal bounds', { type: 'integer', minimum: 2, maximum: 2 }],
  ['a required member that is only described', { type: 'object', required: ['a'] }],
  [
    'a tree with an end',
    {
      type: 'object',
      properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
      required: ['next'],
    },
  ],
  [
    'an enum behind a reference of the root',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/letter', enum: ['x'] } },
      required: ['a'],
      $defs: { letter: { type: 'string' } },
    },
  ],
])('%s stays possible', (_, schema) => {
  expect(whyImpossible(schema)).toBeNull()
})

test('a schema that branches without end stays undecided', () => {
  let schema: object = { type: 'string' }
  for (let i = 0; i < 40; i += 1) schema = { anyOf: [false, { allOf: [schema, schema] }] }
  expect(whyImpossible(schema)).toBeNull()
})
