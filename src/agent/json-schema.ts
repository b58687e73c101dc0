import { isDeepStrictEqual } from 'node:util'

type Json = Readonly<Record<string, unknown>>

/** Schemas come from clients: ones that branch or refer to themselves without end must not hold up the process. */
const mostSteps = 50_000
const mostDepth = 200

/**
 * What keeps `value` from fitting a JSON Schema, in words for a model; null when nothing does. It knows the keywords that
 * structured outputs are made of. Others count as met, `pattern` and `format` among them (a pattern of a stranger's can
 * take for ever), and so does what is not decided within some 50,000 steps.
 */
export function schemaFault(schema: unknown, value: unknown): string | null {
  return new Check(schema).fault(schema, value, '')
}

class Check {
  readonly #root: unknown
  #steps = 0

  constructor(root: unknown) {
    this.#root = root
  }

  fault(schema: unknown, value: unknown, path: string, depth = 0): string | null {
    this.#steps += 1
    if (this.#steps > mostSteps || depth > mostDepth) return null
    if (schema === false) return `${named(path)} must not be there`
    if (!isObject(schema)) return null
    const inner = (one: unknown, item = value, below = path) => this.fault(one, item, below, depth + 1)
    const target = typeof schema['$ref'] === 'string' ? resolve(this.#root, schema['$ref']) : undefined
    return (
      (target === undefined ? null : inner(target)) ??
      typeFault(schema, value, path) ??
      combinationFault(schema, path, inner) ??
      (typeof value === 'string' || typeof value === 'number' ? boundFault(schema, value, path) : null) ??
      (Array.isArray(value) ? itemsFault(schema, value, path, inner) : null) ??
      (isObject(value) ? membersFault(schema, value, path, inner) : null)
    )
  }
}

type Inner = (schema: unknown, value?: unknown, path?: string) => string | null

/** Follows a reference inside of the schema, such as `#/$defs/step`; undefined when it leads nowhere. */
export function resolve(root: unknown, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined
  let found = root
  for (const part of ref.slice(1).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Json)[key]
  }
  return found
}

function typeFault(schema: Json, value: unknown, path: string): string | null {
  const types = [schema['type'] ?? []].flat()
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) {
    return `${named(path)} must be of type ${types.join(' or ')}`
  }
  const { enum: values } = schema
  if (Array.isArray(values) && !values.some((one) => isDeepStrictEqual(one, value))) {
    return `${named(path)} must be one of ${JSON.stringify(values).slice(0, 500)}`
  }
  if ('const' in schema && !isDeepStrictEqual(schema['const'], value)) {
    return `${named(path)} must be ${JSON.stringify(schema['const']).slice(0, 500)}`
  }
  return null
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    case 'string':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    default:
      return true
  }
}

function combinationFault(schema: Json, path: string, inner: Inner): string | null {
  for (const one of listOf(schema['allOf'])) {
    const fault = inner(one)
    if (fault !== null) return fault
  }
  const any = listOf(schema['anyOf'])
  if (any.length > 0 && any.every((one) => inner(one) !== null)) {
    return any.length === 1 ? inner(any[0]) : `${named(path)} fits none of the forms that it may have`
  }
  const one = listOf(schema['oneOf'])
  if (one.length > 0 && one.filter((form) => inner(form) === null).length !== 1) {
    return `${named(path)} must fit exactly one of the forms that it may have`
  }
  if ('not' in schema && inner(schema['not']) === null) return `${named(path)} has a form that is excluded`
  return null
}

function boundFault(schema: Json, value: string | number, path: string): string | null {
  const [size, least, most] =
    typeof value === 'string'
      ? ([[...value].length, 'minLength', 'maxLength'] as const)
      : ([value, 'minimum', 'maximum'] as const)
  const bound = (name: string) => (typeof schema[name] === 'number' ? (schema[name] as number) : undefined)
  if (size < (bound(least) ?? -Infinity)) return `${named(path)}: \`${least}\` is ${bound(least)}`
  if (size > (bound(most) ?? Infinity)) return `${named(path)}: \`${most}\` is ${bound(most)}`
  if (typeof value === 'string') return null
  if (value <= (bound('exclusiveMinimum') ?? -Infinity)) return `${named(path)} is too small`
  if (value >= (bound('exclusiveMaximum') ?? Infinity)) return `${named(path)} is too large`
  const step = bound('multipleOf')
  if (step && !Number.isInteger(value / step)) return `${named(path)} must be a multiple of ${step}`
  return null
}

function itemsFault(schema: Json, value: readonly unknown[], path: string, inner: Inner): string | null {
  const { minItems, maxItems, items } = schema
  if (typeof minItems === 'number' && value.length < minItems) {
    return `${named(path)} must have at least ${minItems} items`
  }
  if (typeof maxItems === 'number' && value.length > maxItems) {
    return `${named(path)} must have at most ${maxItems} items`
  }
  const first = listOf(schema['prefixItems'])
  for (const [i, item] of value.entries()) {
    const fault = inner(i < first.length ? first[i] : items, item, `${path}/${i}`)
    if (fault !== null) return fault
  }
  return null
}

function membersFault(schema: Json, value: Json, path: string, inner: Inner): string | null {
  const missing = listOf(schema['required']).find((name) => !Object.hasOwn(value, String(name)))
  if (missing !== undefined) return `${named(path)} lacks the member ${JSON.stringify(missing)}`
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  // With patterns for names, which are not looked at, nothing can be told of the other names.
  const others = 'patternProperties' in schema ? undefined : schema['additionalProperties']
  for (const [name, item] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name)
    const fault = inner(known ? properties[name] : others, item, `${path}/${name}`)
    if (fault !== null) return fault
  }
  return null
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const named = (path: string): string => (path === '' ? 'the answer' : `\`${path}\``)
