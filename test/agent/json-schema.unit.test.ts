import Ajv2020 from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonTextOf } from '../../src/agent/schema/answer-format.ts'
import { schemaFault } from '../../src/agent/schema/json-schema.ts'
import { largestExpansion } from '../../src/agent/schema/schema-expansion.ts'
import { fillSchema } from '../../src/agent/schema/schema-filling.ts'
import { times } from '../support/full.ts'
import { expectLinear } from '../support/growth.ts'

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
    { numRuns: times(100, 400) },
  )
  expect(fitting).toBeGreaterThan(times(10, 50))
})

test('a fault is stated in words, with its place', () => {
  const list = { type: 'object', properties: { list: { items: { type: 'integer' } } }, required: ['list'] }
  expect(schemaFault(list, {})).toBe('the answer lacks the member "list"')
  expect(schemaFault(list, { list: [1, 'x'] })).toBe('`/list/1` must be of type integer')
})

test('schemas that branch or refer to themselves without end are left undecided', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => {
      const next = { $ref: `#/$defs/d${i + 1}` }
      return [`d${i}`, { allOf: [next, next] }]
    }),
  )
  expect(schemaFault({ $ref: '#/$defs/d0', $defs: doubling }, {})).toBeNull()
  expect(schemaFault({ $ref: '#' }, {})).toBeNull()
  expect(schemaFault({ properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(40)}!` })).toBeNull()
  expect(fillSchema({ $ref: '#' }, 'text')).toBeDefined()
})

const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i))
const longText = (length: number): string => 'א'.repeat(length)

test.each<[string, size: number, make: (size: number) => readonly [schema: object, item: unknown]]>([
  [
    'an `enum` that is asked 24,000 times',
    24_000,
    (size) => [
      {
        allOf: many(size, () => ({ $ref: '#/$defs/e' })),
        $defs: { e: { enum: many(2 * size, (i) => i) } },
      },
      2 * size - 1,
    ],
  ],
  [
    'a length that is asked 2,000 times',
    2_000,
    (size) => [{ allOf: many(size, (i) => ({ minLength: 50 * size + i })) }, longText(75 * size)],
  ],
  [
    'a long text that is compared 5,000 times',
    5_000,
    (size) => [
      { anyOf: many(size, (i) => ({ const: `${longText(30 * size)}${i % 10}` })) },
      `${longText(30 * size)}x`,
    ],
  ],
  [
    'a list of names that is asked 5,000 times',
    5_000,
    (size) => [
      {
        allOf: many(size, () => ({ $ref: '#/$defs/r' })),
        $defs: { r: { required: many(size, () => 'a') } },
      },
      { a: 1 },
    ],
  ],
  [
    'a list of types that is asked 5,000 times',
    5_000,
    (size) => [
      {
        allOf: many(size, () => ({ $ref: '#/$defs/t' })),
        $defs: { t: { type: many(size, () => 'null') } },
      },
      1,
    ],
  ],
  [
    'alternatives of one inside each other',
    160,
    (size) => [many(size, () => 0).reduce<object>((of) => ({ anyOf: [of] }), {}), 1],
  ],
  [
    'a value with many members',
    50_000,
    (size) => [{ allOf: many(size / 25, () => ({ additionalProperties: {} })) }, { ...many(size, () => 0) }],
  ],
  [
    'a value of many levels',
    50_000,
    (size) => [{ const: [[]] }, JSON.parse(`${'['.repeat(size)}${']'.repeat(size)}`)],
  ],
])('a check takes time in proportion to its input, with %s', async (_what, size, make) => {
  await expectLinear(make, ([given, item]) => schemaFault(given, item), size)
})

test.each<[string, size: number, make: (size: number) => object]>([
  [
    'that multiplies with each level',
    200,
    (size) => {
      const wide = Object.fromEntries(many(size, (i) => [`p${i}`, { $ref: '#' }] as const))
      return { type: 'object', properties: wide, required: Object.keys(wide) }
    },
  ],
  ['of lists in lists', 24, (size) => ({ type: 'array', minItems: size, items: { $ref: '#' } })],
  ['that applies itself', 1_000, (size) => ({ allOf: many(size, () => ({ $ref: '#' })) })],
  [
    'of many parts',
    8_000,
    (size) => ({ allOf: many(size, (i) => ({ properties: { [`p${i}`]: {} }, required: [`p${i}`] })) }),
  ],
  [
    'of one long value',
    5_000,
    (size) => ({
      type: 'object',
      properties: Object.fromEntries(many(size, (i) => [`p${i}`, { $ref: '#/$defs/c' }] as const)),
      $defs: { c: { const: longText(30 * size) } },
    }),
  ],
])('a schema %s is filled in proportion to its size', async (_what, size, make) => {
  expect(JSON.stringify(fillSchema(make(size), text)).length).toBeLessThan(3_000_000)
  await expectLinear(make, (given) => fillSchema(given, text), size)
})

test('the steps of a schema are counted with its references followed', () => {
  const enumeration = { enum: many(10, (i) => i) }
  expect(largestExpansion({})).toBe(1)
  expect(largestExpansion({ properties: { a: enumeration, b: { required: ['x'] } } })).toBe(11)
  const shared = { allOf: many(3, () => ({ $ref: '#/$defs/e' })), $defs: { e: enumeration } }
  expect(largestExpansion(shared)).toBe(1 + 3 * (1 + 11) + 0)
  expect(largestExpansion({ properties: { child: { $ref: '#' } } })).toBeLessThan(10)
  expect(largestExpansion({ not: { $ref: '#' } })).toBe(Infinity)
  expect(
    largestExpansion({ $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } } }),
  ).toBe(Infinity)
})

test('a reply in a fence is read in proportion to its blank lines', async () => {
  expect(jsonTextOf('```json\n{"a":1}\n```\n')).toBe('{"a":1}')
  expect(jsonTextOf('  {"a":"```"} ')).toBe('{"a":"```"}')
  expect(jsonTextOf('``` {"a":1} ```')).toBe('``` {"a":1} ```')
  await expectLinear((size) => `\`\`\`json\n${'\n'.repeat(size)}x`, jsonTextOf, 200_000)
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
