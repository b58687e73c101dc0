import { isObject, resolve } from './json-schema.ts'

type Json = Readonly<Record<string, unknown>>

/** Members of optional depth would nest without end in a schema that refers to itself. */
const mostDepth = 12
const mostItems = 20

/**
 * A value that fits a schema as far as one can tell without understanding it: `text` stands in its first free text, all
 * else is as small as it may be.
 */
export function fillSchema(schema: unknown, text: string): unknown {
  return new Filling(schema, text).value(schema, 0)
}

class Filling {
  readonly #root: unknown
  #text: string | undefined

  constructor(root: unknown, text: string) {
    this.#root = root
    this.#text = text
  }

  value(given: unknown, depth: number): unknown {
    const schema = this.#plain(given)
    if (depth > mostDepth) return null
    if ('const' in schema) return schema['const']
    if (Array.isArray(schema['enum'])) return schema['enum'][0]
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return this.#array(schema, depth)
      case 'string':
        return this.#string(schema)
      case 'number':
      case 'integer':
        return numberIn(schema)
      case 'boolean':
        return false
      default:
        return null
    }
  }

  /** The schema without references, with the first of its alternatives, and with everything that it is made of. */
  #plain(schema: unknown, depth = 0): Json {
    if (!isObject(schema) || depth > mostDepth) return {}
    const { $ref: ref, allOf, anyOf, oneOf, ...own } = schema
    const parts = [
      typeof ref === 'string' ? resolve(this.#root, ref) : undefined,
      ...(Array.isArray(allOf) ? allOf : []),
      [anyOf, oneOf].flatMap((forms) => (Array.isArray(forms) ? forms : []))[0],
    ].map((part) => this.#plain(part, depth + 1))
    return parts.reduce<Json>(joined, own)
  }

  #object(schema: Json, depth: number): Json {
    const properties = isObject(schema['properties']) ? schema['properties'] : {}
    const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
    const names = required.length > 0 ? required : depth === 0 ? Object.keys(properties) : []
    return Object.fromEntries(names.map((name) => [name, this.value(properties[name], depth + 1)]))
  }

  #array(schema: Json, depth: number): readonly unknown[] {
    const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0
    const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : mostItems
    const length = Math.min(Math.max(least, this.#text === undefined ? 0 : 1), most, mostItems)
    return Array.from({ length }, () => this.value(schema['items'], depth + 1))
  }

  #string(schema: Json): string {
    const text = this.#text ?? ''
    this.#text = undefined
    const most = schema['maxLength']
    return typeof most === 'number' ? [...text].slice(0, most).join('') : text
  }
}

function joined(a: Json, b: Json): Json {
  const both = (name: string) =>
    isObject(a[name]) && isObject(b[name]) ? { [name]: { ...a[name], ...b[name] } } : {}
  const required = [a['required'] ?? [], b['required'] ?? []].flat()
  return { ...b, ...a, ...both('properties'), ...(required.length > 0 && { required }) }
}

function typeOf(schema: Json): unknown {
  const type = [schema['type'] ?? []].flat().find((one) => one !== 'null')
  if (type !== undefined || 'type' in schema) return type
  return 'properties' in schema ? 'object' : 'items' in schema ? 'array' : 'string'
}

function numberIn(schema: Json): number {
  const { minimum, exclusiveMinimum: above, maximum } = schema
  const least = typeof minimum === 'number' ? minimum : typeof above === 'number' ? Math.floor(above) + 1 : 0
  const number = typeof maximum === 'number' && maximum < least ? maximum : least
  return typeOf(schema) === 'integer' ? Math.ceil(number) : number
}
