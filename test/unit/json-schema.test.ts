import Ajv2020 from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { schemaFault } from '../../src/agent/json-schema.ts'
import { fillSchema } from '../../src/agent/schema-filling.ts'

const ajv = new Ajv2020.default({ strict: false, logger: false })

const names = fc.constantFrom('a', 'b', 'c')
const scalar = fc.constantFrom<unknown>(null, true, 0, 1, 2.5, -3, '', 'a', 'אב', 'abcd')
const bound = fc.integer({ min: 0, max: 3 })
/** The validator takes `{anyOf: [{not: {}}, {}]}` for unfulfillable: nothing that excludes everything is tried. */
const excluded = fc.constantFrom({ type: 'string' }, { type: ['number', 'null'] }, { required: ['a'] })
const optional = <T>(fields: Record<string, fc.Arbitrary<T>>) =>
  fc.record<unknown>(fields as never, { requiredKeys: [] })

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie('schema')
  const forms = fc.array(inner, { minLength: 1, maxLength: 2 })
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom({ type: 'string' }, { type: ['integer', 'null'] }, { $ref: '#/$defs/one' }, false, {}),
      optional<unknown>({
        type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object'),
        enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
        const: scalar,
      }),
      optional({ minLength: bound, maxLength: bound, minimum: bound, maximum: bound }),
      optional({
        exclusiveMinimum: bound,
        exclusiveMaximum: bound,
        multipleOf: fc.constantFrom(1, 2, 0.5),
      }),
      optional<unknown>({
        items: inner,
        prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
        minItems: bound,
        maxItems: bound,
      }),
      optional<unknown>({
        properties: fc.dictionary(names, inner),
        required: fc.uniqueArray(names),
        additionalProperties: inner,
      }),
      optional<unknown>({ allOf: forms, anyOf: forms, oneOf: forms, not: excluded }),
    ),
  }
})
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value')),
  ),
})).value

/** With something to refer to, that refers to itself. */
const rooted = (inner: unknown) => ({
  allOf: [inner],
  $defs: { one: { type: ['object', 'integer'], properties: { a: { $ref: '#/$defs/one' } } } },
})

test('it says of a value what a validator of the whole standard says', () => {
  let fitting = 0
  fc.assert(
    fc.property(schema, value, (inner, item) => {
      const whole = rooted(inner)
      const fits = ajv.compile(whole)(item)
      if (fits) fitting += 1
      expect(schemaFault(whole, item) === null).toBe(fits)
    }),
    { numRuns: 400 },
  )
  expect(fitting).toBeGreaterThan(50)
})

test('a fault is told in words, with its place', () => {
  const list = { type: 'object', properties: { list: { items: { type: 'integer' } } }, required: ['list'] }
  expect(schemaFault(list, {})).toBe('the answer lacks the member "list"')
  expect(schemaFault(list, { list: [1, 'x'] })).toBe('`/list/1` must be of type integer')
})

test('schemas that branch or refer to themselves without end are left undecided, at once', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => {
      const next = { $ref: `#/$defs/d${i + 1}` }
      return [`d${i}`, { allOf: [next, next] }]
    }),
  )
  const began = performance.now()
  expect(schemaFault({ $ref: '#/$defs/d0', $defs: doubling }, {})).toBeNull()
  expect(schemaFault({ $ref: '#' }, {})).toBeNull()
  expect(schemaFault({ properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(40)}!` })).toBeNull()
  expect(fillSchema({ $ref: '#' }, 'text')).toBeDefined()
  expect(performance.now() - began).toBeLessThan(2_000)
})

const text = 'What the texts say.'
const step = { type: 'object', properties: { explanation: { type: 'string' } }, required: ['explanation'] }

test.each([
  ['a text', { type: 'string' }, text],
  [
    'an object',
    { type: 'object', properties: { n: { type: 'integer', minimum: 3 }, answer: { type: 'string' } } },
    { n: 3, answer: text },
  ],
  [
    'steps under a reference',
    {
      type: 'object',
      properties: { steps: { type: 'array', items: { $ref: '#/$defs/step' } }, done: { type: 'boolean' } },
      required: ['steps', 'done'],
      $defs: { step },
    },
    { steps: [{ explanation: text }], done: false },
  ],
  [
    'alternatives and fixed values',
    {
      anyOf: [
        {
          type: 'object',
          properties: {
            kind: { const: 'found' },
            mood: { enum: ['glad', 'sad'] },
            note: { type: ['null', 'string'] },
          },
          required: ['kind', 'mood', 'note'],
          additionalProperties: false,
        },
        { type: 'null' },
      ],
    },
    { kind: 'found', mood: 'glad', note: text },
  ],
])('a schema of %s is filled with a value that fits it', (_name, form, expected) => {
  expect(fillSchema(form, text)).toEqual(expected)
  expect(ajv.compile(form)(fillSchema(form, text))).toBe(true)
})
