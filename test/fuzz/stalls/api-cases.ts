import { type Json, referred } from '../../support/openapi-reader.ts'
import { bodySizes, type Case, type Step, type WireRequest } from './case.ts'
import { headCases } from './head-cases.ts'
import type { Kind } from './kinds.ts'
import { type Place, placesOf } from './places.ts'
import { schemaKinds } from './schema-kinds.ts'
import { pathWithIds, type Things } from './things.ts'
import { uploadCases } from './upload-cases.ts'
import { valueKinds } from './value-kinds.ts'

type Parameter = { readonly name: string; readonly in: string }
type Described = {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> }
}
export type ApiDocument = { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> }

/** Headers that every route reads, documented or not. */
const commonHeaders = [
  'authorization',
  'content-type',
  'cookie',
  'if-none-match',
  'range',
  'x-extra',
  'accept',
]

/** Cases for all operations of the OpenAPI document: each parameter, and each place in the body. */
export function apiCases(document: ApiDocument, things: Things): readonly Case[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      casesOf(document, method.toUpperCase(), path, operation as Described, things),
    ),
  )
}

function casesOf(
  document: ApiDocument,
  method: string,
  path: string,
  { parameters = [], requestBody }: Described,
  things: Things,
): readonly Case[] {
  const subject = `${method} ${path}`
  // A DELETE uses an unknown id, so that every request meets the same state.
  const target = pathWithIds(path, things, method === 'DELETE' ? 'none' : undefined)
  const names = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => name)
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const places =
    type === 'application/json' && content
      ? placesOf(content.schema, (reference) => referred(document, reference))
      : [anyBody]
  const plain =
    method === 'GET' ? { method, path: target } : jsonRequest(method, target, places[0]?.body('{}') ?? '')
  const head = headCases(subject, plain, {
    path: names('path').map((name) => [name, pathWithIds(path, things, '{}')] as const),
    query: names('query'),
    headers: [...names('header'), ...commonHeaders],
  })
  if (method === 'GET') return head
  if (type === 'multipart/form-data') return [...head, ...uploadCases(subject, method, target, 'key', things)]
  return [...head, ...places.flatMap((place) => bodyCases(subject, method, target, place))]
}

/** Bodies are also sent where none is documented, because the service reads them. */
const anyBody: Place = { path: '', kinds: valueKinds, body: (json) => json }

function bodyCases(subject: string, method: string, path: string, place: Place): readonly Case[] {
  const request = (kind: Kind, bytes: number) => jsonRequest(method, path, place.body(kind.json({ bytes })))
  const made = (part: string, kinds: readonly Kind[], as: Step['as']) =>
    kinds.map((kind): Case => {
      const reply = schemaKinds.find((one) => one === kind)?.reply
      const model = reply === undefined ? {} : { model: [{ text: reply }], moreBytes: reply.length }
      const step = (bytes: number): Step => ({ subject, as, request: request(kind, bytes), ...model })
      return { subject, part, kind: kind.name, sizes: bodySizes, step }
    })
  const withKey = made(`body ${place.path}`, place.kinds, 'key')
  return place.path === '' ? [...withKey, ...made('body without a key', valueKinds, 'nobody')] : withKey
}

const jsonRequest = (method: string, path: string, body: string): WireRequest => ({
  method,
  path,
  headers: { 'content-type': 'application/json' },
  body,
})
