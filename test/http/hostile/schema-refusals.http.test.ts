import { beforeAll, expect, test } from 'vitest'
import { sendJson } from '../../support/http-raw.ts'
import type { Json } from '../../support/openapi-reader.ts'
import { question } from '../../support/world/requests.ts'
import { rowCounts } from '../../support/world/row-counts.ts'
import { useThings } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

/** Bodies that would be accepted. */
const bodies = {
  '/v1/chat/completions': question('Who?'),
  '/v1/responses': { model: 'service', input: 'Who?' },
  '/v1/projects': { name: 'New' },
  '/v1/agent/sessions': { name: 'New' },
  '/v1/sources/verify': { text: 'A “quotation” of words.' },
  '/v1/conversations': {},
}

const world = useWorld(unhurried)
const home = useThings(world)
let document: Json

beforeAll(async () => {
  document = (await (await fetch(`${world.service.url}/openapi.json`)).json()) as Json
})

/** What stands at a pointer such as `#/components/schemas/Message`. */
const target = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((node, part) => (node as Json)[part.replaceAll('~1', '/')], document) as Json

/** The forms that a value may have, without references and branches. */
function formsOf(schema: Json): readonly Json[] {
  if (schema['$ref']) return formsOf(target(String(schema['$ref'])))
  const branches = (schema['anyOf'] ?? schema['oneOf']) as readonly Json[] | undefined
  return branches?.flatMap(formsOf) ?? [schema]
}

const samples = { number: 7.5, string: 'no such word', boolean: true, array: [[]], object: { odd: [] } }

/** Values that a schema does not allow: of other types, not in its list, beyond its bounds. */
function wrongValues(schema: Json): readonly unknown[] {
  const forms = formsOf(schema)
  // A form without a type is any value.
  if (forms.some((form) => !form['type'] && !form['enum'] && !('const' in form))) return []
  const types = forms.filter((form) => !form['enum'] && !('const' in form)).flatMap((form) => form['type'])
  const { minimum, maximum, maxLength, maxItems } = (forms.length === 1 ? forms[0] : {}) as Record<
    string,
    number
  >
  return [
    ...Object.entries(samples).flatMap(([type, value]) => (types.includes(type) ? [] : [value])),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(maxItems === undefined ? [] : [Array(maxItems + 1).fill('x')]),
  ]
}

type Wrong = { readonly body: Json; readonly param: string }

/** Each body that has one wrong field, or lacks one that it needs. */
function* wrongBodies(schema: Json, good: Json): Generator<Wrong> {
  const [form, ...others] = formsOf(schema).filter(({ type }) => type !== 'null')
  if (!form || others.length > 0) return
  for (const [param, field] of Object.entries((form['properties'] ?? {}) as Record<string, Json>)) {
    // Labels of the client's own, of any kind.
    if (param === 'metadata') continue
    for (const value of wrongValues(field)) yield { param, body: { ...good, [param]: value } }
    for (const inner of wrongBodies(field, {}))
      yield { param: `${param}.${inner.param}`, body: { ...good, [param]: inner.body } }
  }
  for (const param of (form['required'] ?? []) as readonly string[])
    yield { param, body: { ...good, [param]: undefined } }
}

test.each(Object.entries(bodies))(
  'POST %s names each field that its schema does not allow',
  async (path, body) => {
    const before = await rowCounts(world.db)
    const schema = `#/paths/${path.replaceAll('/', '~1')}/post/requestBody/content/application~1json/schema`
    const wrong = [...wrongBodies(target(schema), body)]
    const replies: object[] = []
    for (const { body } of wrong) {
      const { status, text } = await sendJson(world.service, { method: 'POST', path, key: home.key, body })
      replies.push({ status, param: status === 200 ? undefined : JSON.parse(text).error.param, body })
    }
    expect(replies).toEqual(wrong.map(({ param, body }) => ({ status: 400, param, body })))
    expect(await rowCounts(world.db)).toEqual(before)
    expect(wrong.length).toBeGreaterThan(1)
  },
)
