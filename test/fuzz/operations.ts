import fc from 'fast-check'
import { form } from '../support/http-raw.ts'
import type { Json } from '../support/openapi-reader.ts'
import { breaks, broken, brokenText } from './broken-values.ts'
import { type SchemaValues, schemaValues } from './schema-values.ts'

/** A request as it is sent, without the key. */
export type GeneratedRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

/** An operation of the document, with valid and broken requests for it. */
export type Operation = {
  /** Such as `POST /v1/files`. */
  readonly name: string
  readonly responses: Readonly<
    Record<string, { readonly 'x-codes'?: readonly string[]; readonly $ref?: string }>
  >
  readonly requests: fc.Arbitrary<GeneratedRequest>
}

type Described = {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Json
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> }
  readonly responses: Operation['responses']
}

/**
 * All operations of an OpenAPI document.
 * @param ids existing resources, for paths and for fields that contain ids.
 */
export function operationsOf(
  document: { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> },
  ids: readonly string[],
): readonly Operation[] {
  const values = schemaValues(document)
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const described = operation as Described
      return {
        name: `${method.toUpperCase()} ${path}`,
        responses: described.responses,
        requests: requestsOf(method.toUpperCase(), path, described, values, ids),
      }
    }),
  )
}

function requestsOf(
  method: string,
  path: string,
  described: Described,
  values: SchemaValues,
  ids: readonly string[],
) {
  const parameters = described.parameters ?? []
  const inPlace = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const named = fc.oneof(fc.constantFrom(...ids), brokenText)
  const texts = (place: string, odd: fc.Arbitrary<string>) =>
    fc.record(
      Object.fromEntries(
        inPlace(place).map(({ name, schema }) => [
          name,
          fc.oneof({ weight: 3, arbitrary: values(schema).map(String) }, fc.constantFrom(...ids), odd),
        ]),
      ),
      {
        requiredKeys: inPlace(place)
          .filter(({ required }) => required)
          .map(({ name }) => name),
      },
    )
  return fc
    .record({
      segments: fc.array(named, { minLength: 3, maxLength: 3 }),
      query: texts('query', brokenText),
      extra: fc.option(fc.tuple(brokenText, brokenText), { freq: 8 }),
      headers: texts('header', brokenText),
      common: fc.record(commonHeaders, { requiredKeys: [] }),
      body: bodiesOf(described, values, ids),
    })
    .map(({ segments, query, extra, headers, common, body }): GeneratedRequest => {
      let n = 0
      const target = path.replaceAll(/\{\w+\}/g, () =>
        encodeURIComponent((segments[n++] ?? '').toWellFormed().slice(0, 2_000)),
      )
      const pairs: readonly (readonly [string, string])[] = [
        ...Object.entries(query),
        ...(extra ? [extra] : []),
      ]
      const search = new URLSearchParams(
        pairs.map(([name, value]): [string, string] => [name, value.slice(0, 2_000)]),
      ).toString()
      return {
        method,
        path: (search === '' ? target : `${target}?${search}`).slice(0, maxPath),
        headers: sendable({ ...body.headers, ...common, ...headers }),
        body: method === 'GET' ? undefined : body.body,
      }
    })
}

/**
 * Maximum length of a path, so that path and headers stay below Node's limit; Node refuses longer ones before
 * any route.
 */
const maxPath = 8_000

/** Headers that routes read, documented or not. */
const commonHeaders = {
  'x-extra': brokenText,
  range: fc.oneof(
    fc.constantFrom('bytes=0-1', 'bytes=-1', 'bytes=9-1', 'bytes=99999999999999999999-'),
    brokenText,
  ),
  'if-none-match': brokenText,
  'last-event-id': fc.oneof(fc.nat().map(String), brokenText),
  accept: brokenText,
  cookie: brokenText.map((text) => `session=${text}`),
  'x-forwarded-for': brokenText,
  'x-stainless-retry-count': fc.constantFrom('0', '1', '-1', 'x'),
}

/** Limits headers to what Node's client can send: Latin-1 without control characters, short enough. */
function sendable(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '?').slice(0, 500),
    ]),
  )
}

type Body = { readonly headers: Readonly<Record<string, string>>; readonly body: string | Buffer | undefined }

function bodiesOf(
  { requestBody }: Described,
  values: SchemaValues,
  ids: readonly string[],
): fc.Arbitrary<Body> {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (type === undefined || content === undefined)
    return fc.oneof(
      { weight: 4, arbitrary: fc.constant({ headers: {}, body: undefined }) },
      rawJson(brokenText),
    )
  if (type === 'multipart/form-data') return uploads(ids)
  const json = values(content.schema)
  const changed = fc.tuple(
    json,
    fc.array(
      fc.oneof(
        breaks,
        fc.constantFrom(...ids).chain((id) => breaks.map((one) => ({ ...one, value: id }))),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  return fc.oneof(
    { weight: 4, arbitrary: rawJson(json.map((value) => JSON.stringify(value))) },
    {
      weight: 5,
      arbitrary: rawJson(changed.map(([value, list]) => JSON.stringify(list.reduce(broken, value)) ?? '')),
    },
    {
      weight: 2,
      arbitrary: rawJson(
        fc
          .tuple(json, fc.nat(2_000), brokenText)
          .map(([value, at, piece]) => spliced(JSON.stringify(value), at, piece)),
      ),
    },
  )
}

const types = fc.oneof(
  { weight: 12, arbitrary: fc.constant('application/json') },
  fc.constantFrom(
    'application/json; charset=utf-16',
    'text/plain',
    'multipart/form-data',
    'multipart/form-data; boundary=B',
    'application/x-www-form-urlencoded',
    '',
  ),
)
const rawJson = (texts: fc.Arbitrary<string>): fc.Arbitrary<Body> =>
  fc.tuple(texts, types).map(([body, type]) => ({ headers: { 'content-type': type }, body }))

function spliced(text: string, at: number, piece: string): string {
  const place = at % (text.length + 1)
  return text.slice(0, place) + piece + text.slice(place + (at % 7))
}

function uploads(ids: readonly string[]): fc.Arbitrary<Body> {
  const quoted = brokenText.map((text) => text.replaceAll(/["\r\n]/g, '_'))
  const field = fc.record({
    name: fc.constantFrom('project_id', 'purpose', 'other'),
    value: fc.oneof(fc.constantFrom(...ids, 'assistants'), brokenText),
  })
  const file = fc.record({
    name: fc.constantFrom('file', 'file', 'other'),
    filename: fc.oneof(fc.constantFrom('a.txt', 'a.pdf', 'a.docx', 'a.html'), quoted),
    content: brokenText,
    type: fc.constantFrom('text/plain', 'text/html', 'application/pdf', 'x'),
  })
  const whole = fc.array(fc.oneof(field, file, file), { maxLength: 4 }).map(form)
  const cut = fc
    .tuple(whole, fc.nat(2_000))
    .map(([{ headers, body }, at]) => ({ headers, body: body.subarray(0, at) }))
  return fc.oneof({ weight: 4, arbitrary: whole }, cut, rawJson(brokenText))
}
