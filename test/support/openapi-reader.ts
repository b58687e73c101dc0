import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Reply } from './http-raw.ts'

export type Json = Readonly<Record<string, unknown>>
type Response = {
  readonly headers: Json
  readonly content: Json
  readonly 'x-codes'?: readonly string[]
}
type Operation = {
  readonly 'x-scope': string
  readonly description?: string
  readonly security: readonly unknown[]
  readonly requestBody?: { readonly content: Json }
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
}
type Document = {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>
    readonly schemas: Json
  }
}

/**
 * Compares requests and replies of the service with its OpenAPI document. Routes are named like `GET
 * /v1/files/:id`.
 */
export type ApiReader = {
  readonly document: Document
  /** Violations of a component's schema by a value; empty when there are none. */
  componentFaults(name: string, value: unknown): readonly string[]
  /** The same for a JSON body of a request; undefined when the route takes none. */
  requestFaults(route: string, body: unknown): readonly string[] | undefined
  /** The same for a reply: status, headers, error code and body, or each `data:` line of a stream. */
  replyFaults(route: string, reply: Reply): readonly string[]
}

export function readApi(text: string): ApiReader {
  const document: Document = JSON.parse(text)
  // Optimising the code of a validator takes longer than what it checks here.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
  ajv.addSchema(document, 'requests', false, false)
  ajv.addSchema(closed(document) as Json, 'replies', false, false)

  function faults(of: 'requests' | 'replies', value: unknown, path: readonly string[]): readonly string[] {
    const pointer = path.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
    const validate = ajv.getSchema(`${of}#/${encodeURI(pointer)}`)
    if (!validate) throw new Error(`the document has no ${pointer}`)
    return validate(value) ? [] : (validate.errors ?? []).map((e) => `${e.instancePath} ${e.message}`)
  }

  function responseOf(
    route: string,
    status: number,
  ): { response: Response; at: readonly string[] } | undefined {
    const [path, method] = placeOf(route)
    const found = document.paths[path]?.[method]?.responses[status]
    if (!found) return undefined
    if (!('$ref' in found))
      return { response: found, at: ['paths', path, method, 'responses', String(status)] }
    const name = found.$ref.split('/').at(-1) ?? ''
    const response = document.components.responses[name]
    return response && { response, at: ['components', 'responses', name] }
  }

  return {
    document,
    componentFaults: (name, value) => faults('replies', value, ['components', 'schemas', name]),
    requestFaults(route, body) {
      const [path, method] = placeOf(route)
      const content = document.paths[path]?.[method]?.requestBody?.content
      if (!content || !(json in content)) return undefined
      return faults('requests', body, ['paths', path, method, 'requestBody', 'content', json, 'schema'])
    },
    replyFaults(route, reply) {
      const found = responseOf(route, reply.status)
      if (!found) return [`the status ${reply.status} is not described`]
      const { response, at } = found
      const sent = reply.headers['content-type']?.split(';')[0] ?? ''
      const type = [sent, '*/*'].find((one) => one in response.content)
      if (type === undefined) return [`the content type ${sent} is not described`]
      const headers = Object.keys(reply.headers).filter(
        (name) => told.test(name) && !(name in response.headers),
      )
      const codes = codesOf(reply).filter((code) => !response['x-codes']?.includes(code))
      return [
        ...headers.map((name) => `the header ${name} is not described`),
        ...codes.map((code) => `the code ${code} is not described`),
        ...bodiesOf(type, reply).flatMap((body) =>
          faults('replies', body, [...at, 'content', type, 'schema']),
        ),
      ]
    },
  }
}

const json = 'application/json'

/** Matches headers that belong to the API; all others are those of any HTTP server. */
const told = /^(x-(?!accel)|retry-after|www-auth|idempotency|location|content-(?!type|length))/

/** The template of a path in the notation of the document. */
export const pathOf = (url: string): string => url.replaceAll(/:(\w+)/g, '{$1}')

function placeOf(route: string): readonly [path: string, method: string] {
  const [method = '', url = ''] = route.split(' ')
  return [pathOf(url), method.toLowerCase()]
}

/** The document with unknown fields forbidden, so that a reply with an undocumented field fails. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]))
  const named = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy)
  return named ? { ...copy, additionalProperties: false } : copy
}

function bodiesOf(type: string, { text }: Reply): readonly unknown[] {
  if (type === '*/*' || type === 'text/html') return [text]
  return type === 'text/event-stream' ? dataOf(text) : [JSON.parse(text)]
}

/** Parsed `data:` lines of a stream, without the end mark. */
export function dataOf(stream: string): readonly Json[] {
  const lines = [...stream.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data)
  return lines.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data))
}

/** The error code of a refusal; empty for a success. */
export const codesOf = (reply: Reply): readonly string[] =>
  reply.status < 400 ? [] : [JSON.parse(reply.text).error.code]

/** The part of a document that a `$ref` such as `#/components/schemas/Model` names. */
export function referred(document: object, reference: string): Json {
  const parts = reference.replace(/^#\//, '').split('/')
  const found = parts.reduce<unknown>((at, part) => (at as Json | undefined)?.[part], document)
  if (typeof found !== 'object' || found === null) throw new Error(`the document has no ${reference}`)
  return found as Json
}
