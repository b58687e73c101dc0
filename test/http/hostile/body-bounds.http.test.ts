import { expect, test } from 'vitest'
import { form, type Reply, send } from '../../support/http-raw.ts'
import { expectError } from '../../support/http-refusal.ts'
import type { Json } from '../../support/openapi-reader.ts'
import { rowCounts } from '../../support/world/row-counts.ts'
import { useThings } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

const world = useWorld(unhurried)
const home = useThings(world)

const post = (path: string, body: string): Promise<Reply> =>
  send(world.service, {
    method: 'POST',
    path,
    key: home.key,
    body,
    headers: { 'content-type': 'application/json' },
  })

const mebibyte = 1024 * 1024
const filled = (start: string, piece: string, bytes: number, end: string) =>
  start + piece.repeat(Math.floor(bytes / piece.length)) + end
const ask = { model: 'service', messages: [{ role: 'user', content: 'Who?' }] }
const asking = (more: object) => JSON.stringify({ ...ask, ...more })
const schema = (of: object) =>
  asking({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema: of } } })
const answering = (input: unknown) => JSON.stringify({ model: 'service', input })
const schemaField = 'response_format.json_schema.schema'
const chat = '/v1/chat/completions'
const responses = '/v1/responses'
const tooMany = /10,000 entries/
/** A body of so many MiB: pieces in a list between two ends. */
const large = (start: string, piece: string, bytes = 15 * mebibyte) => filled(start, piece, bytes, '0]}')
const small = mebibyte - 99
const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`m${i}`, '']))
const parameters = { enum: Array(9_999).fill(0), required: ['a'] }
const multiplying = {
  allOf: Array(1_000).fill({ $ref: '#/$defs/e' }),
  $defs: { e: { enum: Array(100).fill(0) } },
}
const long = Array(3).fill({ role: 'user', content: 'x'.repeat(700_000) })

const tools = [{ type: 'function', function: { name: 'f', parameters } }]
const parts = [{ role: 'user', content: Array(1_001).fill(0) }]
const letters = 'x'.repeat(10_001)

/** What the description does not say; other bounds are in schema-refusals. */
type Beyond = readonly [what: string, body: string, param: string, says: RegExp, path?: string]
const beyond: readonly Beyond[] = [
  ['15 MiB of parts', `${large('{"messages":[{"content":[', '0,')}]}`, 'messages[0].content', tooMany],
  ['15 MiB of `{}` in an unknown field', large('{"model":"service","x":[', '{},'), 'x', tooMany],
  ['a MiB of refs', large('{"text":"x","refs":[', '0,', small), 'refs', tooMany, '/v1/sources/verify'],
  ['a MiB of `{}` beside a name', large('{"name":"x","y":[', '{},', small), 'y', tooMany, '/v1/projects'],
  ['15 MiB of wrong items', large('{"model":"service","input":[', '0,'), 'input', tooMany, responses],
  ['texts of 2,000,001 characters', asking({ messages: long }), 'messages', /2,000,000 characters/],
  ['texts of 2,000,001 characters in items', answering(long), 'input', /2,000,000 characters/, responses],
  ['1,001 parts of an item', answering(parts), 'input[0].content', /at most 1,000 items/, responses],
  ['101 entries of metadata', asking({ metadata: many }), 'metadata', /at most 100 entries/],
  ['metadata of 10,001 characters', asking({ metadata: { a: letters } }), 'metadata.a', /10,000 characters/],
  [
    'options of 10,001 characters',
    asking({ x_service: `{"${letters}":1}` }),
    'x_service',
    /10,000 characters/,
  ],
  ['parameters of 10,001 values', asking({ tools }), 'tools[0].function.parameters', /10,000 values/],
  ['a schema of 200,001 letters', schema({ title: 'x'.repeat(200_001) }), schemaField, /200,000 characters/],
  ['a schema of 10,001 values', schema(parameters), schemaField, /at most 10,000 values/],
  ['a schema that multiplies', schema(multiplying), schemaField, /at most 20,000 steps/],
  ['a schema that applies itself', schema({ anyOf: [{ $ref: '#' }] }), schemaField, /no reference to itself/],
]

test.for(beyond)('%s are a 400 that names field and bound, and leave nothing', async (row) => {
  const [, body, param, says, path = chat] = row
  const before = await rowCounts(world.db)
  expectError(await post(path, body), { status: 400, code: 'invalid_value', param }, says)
  expect(await rowCounts(world.db)).toEqual(before)
})

test('a schema that refers to itself below itself is accepted', async () => {
  const tree = { type: 'object', properties: { child: { $ref: '#' } } }
  const reply = await post(chat, schema(tree))
  expect(reply.text).not.toContain('no reference to itself')
})

test('an upload with a boundary of 5,000 characters is a 400', async () => {
  const { body } = form([{ name: 'file', filename: 'a.txt', content: 'x' }])
  const headers = { 'content-type': `multipart/form-data; boundary=${'b'.repeat(5_000)}` }
  const reply = await send(world.service, { method: 'POST', path: '/v1/files', key: home.key, body, headers })
  expectError(reply, { status: 400, code: 'invalid_value', param: 'Content-Type' }, /at most 200 characters/)
})

test('an upload with a field of 8,001 characters is a 400 that names it', async () => {
  const parts = form([
    { name: 'purpose', value: 'x'.repeat(8_001) },
    { name: 'file', filename: 'a.txt', content: 'x' },
  ])
  const reply = await send(world.service, { method: 'POST', path: '/v1/files', key: home.key, ...parts })
  expectError(reply, { status: 400, code: 'invalid_value', param: 'purpose' }, /at most 8,000 characters/)
})

/** Where texts and arrays of a schema have no bound; references are followed once. */
function unboundedOf(
  components: Readonly<Record<string, Json>>,
): (node: Json, at: string) => readonly string[] {
  const seen = new Set<string>()
  const inside = (node: Json, at: string): readonly string[] => {
    const named = Object.entries((node['properties'] ?? {}) as Record<string, Json>)
    const forms = ['anyOf', 'oneOf', 'allOf', 'items'].flatMap((keyword) =>
      [(node[keyword] ?? []) as Json | Json[]].flat(),
    )
    return [
      ...named.flatMap(([name, inner]) => look(inner, `${at}.${name}`)),
      ...forms.flatMap((inner) => look(inner, `${at}[]`)),
    ]
  }
  const look = (node: Json, at: string): readonly string[] => {
    const name = String(node['$ref'] ?? '').replace('#/components/schemas/', '')
    if (name !== '') return seen.has(name) || !seen.add(name) ? [] : look(components[name] ?? {}, name)
    const bounding =
      node['type'] === 'array'
        ? ['maxItems']
        : ['maxLength', 'enum', 'const', 'pattern', 'format', 'contentMediaType']
    const isOpen =
      ['array', 'string'].includes(String(node['type'])) && !bounding.some((word) => word in node)
    return [...(isOpen ? [at] : []), ...inside(node, at)]
  }
  return look
}

test('every text and array of a request body has a bound in the OpenAPI document', async () => {
  const { text } = await send(world.service, { method: 'GET', path: '/openapi.json', key: undefined })
  const document = JSON.parse(text)
  const look = unboundedOf(document.components.schemas)
  const bodies = Object.entries<Record<string, Json>>(document.paths).flatMap(([path, operations]) =>
    Object.values(operations).flatMap((operation) => {
      const { content = {} } = (operation['requestBody'] ?? {}) as {
        content?: Record<string, { schema: Json }>
      }
      return Object.values(content).map(({ schema }) => ({ path, schema }))
    }),
  )
  expect(bodies.length).toBeGreaterThan(6)
  expect(bodies.flatMap(({ path, schema }) => look(schema, path))).toEqual([])
})
