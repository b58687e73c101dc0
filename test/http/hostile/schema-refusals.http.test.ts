import { beforeAll, expect, test } from 'vitest'
import { fixture } from '../../support/fixture.ts'
import { send, sendJson } from '../../support/http-raw.ts'
import { pathOf, type Row, table } from '../../support/http-routes.ts'
import type { Json } from '../../support/openapi-reader.ts'
import { rowCounts } from '../../support/world/row-counts.ts'
import { makeOwner, makeThings } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

const world = useWorld(unhurried)
const home = fixture(async () => {
  const owner = await makeOwner(world.db)
  await world.rows('update accounts set operator = true where id = $1', owner.accountId)
  return makeThings(world.db, world.service, owner)
})
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

const samples = {
  null: null,
  number: 7.5,
  string: 'no such word',
  boolean: true,
  array: [[]],
  object: { odd: [] },
}

/** `says`: what the refusal says, such as the bound. */
type WrongValue = { readonly value: unknown; readonly says?: string }

/** Values that a schema does not allow: of other types, not in its list, beyond its bounds. */
function wrongValues(schema: Json): readonly WrongValue[] {
  const forms = formsOf(schema)
  const isList = (form: Json) => Boolean(form['enum']) || 'const' in form
  // A form without a type is any value.
  if (forms.some((form) => !form['type'] && !isList(form))) return []
  const types = forms.filter((form) => !isList(form)).flatMap((form) => form['type'])
  if (forms.some((form) => (form['enum'] as unknown[] | undefined)?.includes(null))) types.push('null')
  const others = Object.entries(samples).filter(([type]) => !types.includes(type))
  return [...others.map(([, value]) => ({ value })), ...forms.flatMap(beyondBounds)]
}

function beyondBounds(form: Json): readonly WrongValue[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = form as Record<string, number>
  return [
    ...(minimum === undefined ? [] : [{ value: minimum - 1 }]),
    ...(maximum === undefined ? [] : [{ value: maximum + 1 }]),
    ...(minLength ? [{ value: '' }] : []),
    ...(maxLength === undefined ? [] : [{ value: 'x'.repeat(maxLength + 1), says: String(maxLength) }]),
    ...(minItems ? [{ value: [] }] : []),
    ...(maxItems === undefined ? [] : [{ value: Array(maxItems + 1).fill('x'), says: String(maxItems) }]),
  ]
}

/** A value that a schema allows, with the fields alone that it needs. */
function goodValue(schema: Json): unknown {
  const [form = {}] = formsOf(schema)
  if (form['enum']) return (form['enum'] as readonly unknown[])[0]
  if ('const' in form) return form['const']
  const { required = [], properties = {} } = form as {
    required?: string[]
    properties?: Record<string, Json>
  }
  const made = () => Object.fromEntries(required.map((name) => [name, goodValue(properties[name] ?? {})]))
  const values: Record<string, unknown> = { string: 'x', boolean: true, array: [], number: 1, integer: 1 }
  return form['type'] === 'object' ? made() : values[String(form['type'])]
}

type Wrong = WrongValue & { readonly at: string }

/** Each value in which one field or item is wrong, or a field is missing that is needed. */
function* wrongForms(schema: Json, good: Json): Generator<Wrong> {
  const [form, ...others] = formsOf(schema).filter(({ type }) => type !== 'null')
  if (!form || others.length > 0) return
  function* below(inner: Json, at: string, within: (value: unknown) => unknown): Generator<Wrong> {
    for (const wrong of wrongValues(inner)) yield { ...wrong, at, value: within(wrong.value) }
    for (const wrong of wrongForms(inner, goodValue(inner) as Json))
      yield { ...wrong, at: at + wrong.at, value: within(wrong.value) }
  }
  if (form['items']) yield* below(form['items'] as Json, '[0]', (value) => [value])
  // Labels of the client's own are of any kind.
  for (const [name, field] of Object.entries((form['properties'] ?? {}) as Record<string, Json>))
    if (name !== 'metadata') yield* below(field, `.${name}`, (value) => ({ ...good, [name]: value }))
  for (const name of (form['required'] ?? []) as readonly string[])
    yield { at: `.${name}`, value: { ...good, [name]: undefined }, says: 'required' }
}

const templateOf = (url: string) => url.replaceAll(/:(\w+)/g, '{$1}').replaceAll('/', '~1')
const idOf = async (row: Row) => (await row.own?.(home, world.service)) ?? 'none'

const bodies = table.filter(
  (row) => row.body && !row.named && !row.undescribed && row.route !== 'POST /v1/files',
)

test.each(bodies)('$route names each field that its schema does not allow', async (row) => {
  const [method = '', url = ''] = row.route.split(' ')
  const path = pathOf(url, await idOf(row))
  const schema = target(
    `#/paths/${templateOf(url)}/${method.toLowerCase()}/requestBody/content/application~1json/schema`,
  )
  const before = await rowCounts(world.db)
  const faults: string[] = []
  for (const { at, value: body, says = '' } of wrongForms(schema, row.body?.(home) as Json)) {
    const { status, text } = await sendJson(world.service, { method, path, key: home.key, body })
    // A list of names is refused with the names.
    const isNamed = at === '.x_service.tools' || text.replaceAll(',', '').includes(says)
    // The schema library words bounds for programmers of the service.
    const isSaid = isNamed && !/Too (?:big|small)/.test(text)
    // An id that is too long is the id of nothing.
    const isRefused = status === 400 ? isSaid : status === 404
    if (!isRefused || JSON.parse(text).error.param !== at.slice(1))
      faults.push(`${at} in ${JSON.stringify(body).slice(0, 200)}: ${status} ${text.slice(0, 300)}`)
  }
  expect(faults).toEqual([])
  expect(await rowCounts(world.db)).toEqual(before)
})

type Parameter = { readonly name: string; readonly in: string; readonly schema: Json }

/** What a parameter of an address does not allow, as it is written there. */
const wrongTexts = ({ name, schema }: Parameter): readonly string[] => {
  const { type, minimum, maximum, enum: choices } = (formsOf(schema)[0] ?? {}) as Record<string, unknown>
  return [
    ...(type === 'integer' ? ['abc', '1.5', ''] : []),
    ...(typeof minimum === 'number' ? [`${minimum - 1}`] : []),
    ...(typeof maximum === 'number' ? [`${maximum + 1}`] : []),
    ...(choices ? ['no-such', String(choices).split(',')[0]?.toUpperCase() ?? ''] : []),
    ...(type === 'string' || type === 'integer' ? [`1&${name}=1`] : []),
  ]
}

const addresses = table.filter(
  ({ route, undescribed, scope }) => route.startsWith('GET /v1') && !undescribed && scope !== 'public',
)

test.each(addresses)('$route names each parameter that its schema does not allow', async (row) => {
  const url = row.route.slice('GET '.length)
  const { parameters = [] } = target(`#/paths/${templateOf(url)}/get`) as { parameters?: Parameter[] }
  const path = pathOf(url, await idOf(row))
  const faults: string[] = []
  for (const one of parameters.filter((one) => one.in === 'query'))
    for (const wrong of wrongTexts(one)) {
      const query = `${row.query ? `${row.query}&` : '?'}${one.name}=${wrong}`
      const { status, text } = await send(world.service, { method: 'GET', path: path + query, key: home.key })
      if (status !== 400 || JSON.parse(text).error.param !== one.name)
        faults.push(`${query}: ${status} ${text.slice(0, 200)}`)
    }
  expect(faults).toEqual([])
})
