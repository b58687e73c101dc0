import {
  type ApiDocument,
  bodyType,
  type Call,
  resolved,
  type Schema,
  variantsOf,
} from './api-description.ts'

/** Objects within objects that an example shows. */
const maxDepth = 5

/** A value that a schema allows, for readers to see its form. */
export function exampleOf(api: ApiDocument, schema: Schema, depth = 0): unknown {
  const [first = {}] = variantsOf(resolved(api, schema))
  const one = first.$ref === undefined ? first : resolved(api, first)
  if (one.anyOf ?? one.oneOf) return exampleOf(api, one, depth)
  if (one.const !== undefined) return one.const
  if (one.enum) return one.enum[0]
  if (one.default !== undefined) return one.default
  const type = typeof one.type === 'string' ? one.type : one.type?.find((name) => name !== 'null')
  if (type === 'array') return depth < maxDepth ? [exampleOf(api, one.items ?? {}, depth + 1)] : []
  if (one.properties && depth < maxDepth) return objectExample(api, one.properties, depth)
  return plainExamples[type ?? 'object'] ?? {}
}

const plainExamples: Readonly<Record<string, unknown>> = {
  string: '…',
  integer: 1,
  number: 0.5,
  boolean: true,
}

function objectExample(
  api: ApiDocument,
  properties: Readonly<Record<string, Schema>>,
  depth: number,
): Readonly<Record<string, unknown>> {
  const members = Object.entries(properties)
  return Object.fromEntries(members.map(([name, schema]) => [name, exampleOf(api, schema, depth + 1)]))
}

/** The body that the form begins with: that of the description, otherwise one with what is required. */
export function bodyExample(api: ApiDocument, call: Call): unknown {
  const content = call.requestBody?.content[bodyType(call) ?? '']
  if (!content) return undefined
  if (content.example) return content.example
  const schema = resolved(api, content.schema)
  const required = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name))
  return objectExample(api, Object.fromEntries(required), 0)
}

/** A command that sends the request. @param baseUrl the address of the service. */
export function curlCommand(api: ApiDocument, call: Call, baseUrl: string): string {
  const query = call.parameters.filter(({ in: place, required }) => place === 'query' && required)
  const search = query.map(({ name }) => `${name}=…`).join('&')
  const address = `${baseUrl}${call.path}${search === '' ? '' : `?${search}`}`
  const options = [
    ...(call.method === 'GET' ? [] : [`-X ${call.method}`]),
    ...(call['x-scope'] === 'public' ? [] : [`-H 'Authorization: Bearer $API_KEY'`.replaceAll("'", '"')]),
    ...bodyOptions(api, call),
  ]
  return [`curl "${address}"`, ...options].join(' \\\n  ')
}

function bodyOptions(api: ApiDocument, call: Call): readonly string[] {
  const type = bodyType(call)
  if (type === undefined) return []
  if (type.startsWith('multipart/')) return ['-F "file=@sheet.pdf"']
  const body = JSON.stringify(bodyExample(api, call), null, 2).replaceAll("'", `'\\''`)
  return ['-H "Content-Type: application/json"', `-d '${body}'`]
}
