import { Budget, isObject, type Json, resolve, Undecided } from './schema-budget.ts'

/** Members of a schema that refers to itself would otherwise nest without end. */
const maxDepth = 12
const maxItems = 20
/** About 30 ms. A step is one schema, one keyword or member, or one copied value. */
const maxSteps = 20_000

/**
 * Creates a value that fits a schema. `text` goes into the first string; everything else is as small as
 * possible. Null if the value needs too many steps.
 */
export function fillSchema(schema: unknown, text: string): unknown {
  try {
    return new Filling(schema, text).value(schema, 0)
  } catch (error) {
    if (error instanceof Undecided) return null
    throw error
  }
}

class Filling {
  readonly #root: unknown
  readonly #budget = new Budget(maxSteps)
  #text: string | undefined

  constructor(root: unknown, text: string) {
    this.#root = root
    this.#text = text
  }

  value(given: unknown, depth: number): unknown {
    const schema = this.#plain(given)
    if (depth > maxDepth) return null
    if ('const' in schema) return this.#copied(schema['const'])
    if (Array.isArray(schema['enum'])) return this.#copied(schema['enum'][0])
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

  /** Costs steps by size, because a value can be copied many times into one answer. */
  #copied(value: unknown): unknown {
    const open = [value]
    while (open.length > 0) {
      const one = open.pop()
      this.#budget.spend(typeof one === 'string' ? 1 + one.length / 64 : 1)
      if (typeof one !== 'object' || one === null) continue
      for (const name in one) {
        this.#budget.spend(1 + name.length / 64)
        open.push((one as Json)[name])
      }
    }
    return value
  }

  /** The schema with references and `allOf` merged and the first alternative chosen. */
  #plain(schema: unknown): Json {
    const parts: Json[] = []
    this.#collect(schema, 0, parts)
    const properties: Record<string, unknown> = {}
    const required = new Set<string>()
    const joined: Record<string, unknown> = {}
    for (const part of parts) {
      this.#join(joined, part)
      this.#join(properties, isObject(part['properties']) ? part['properties'] : {})
      this.#require(required, part['required'])
    }
    const given = parts.some((part) => isObject(part['properties']))
    return {
      ...joined,
      ...(given && { properties }),
      ...(required.size > 0 && { required: [...required] }),
    }
  }

  /** The first of several members with the same name wins. */
  #join(all: Record<string, unknown>, more: Json): void {
    for (const name in more) {
      this.#budget.spend(1)
      if (!Object.hasOwn(all, name)) all[name] = more[name]
    }
  }

  #require(required: Set<string>, value: unknown): void {
    const names = Array.isArray(value) ? value : []
    this.#budget.spend(names.length)
    for (const name of names) required.add(String(name))
  }

  /**
   * Appends the schema and those that apply with it. Its own keywords come first, because the first of several
   * wins.
   */
  #collect(schema: unknown, depth: number, parts: Json[]): void {
    this.#budget.spend(1)
    if (!isObject(schema) || depth > maxDepth) return
    const { $ref: ref, allOf, anyOf, oneOf } = schema
    parts.push(schema)
    if (typeof ref === 'string') this.#collect(resolve(this.#root, ref), depth + 1, parts)
    for (const part of Array.isArray(allOf) ? allOf : []) this.#collect(part, depth + 1, parts)
    const forms = [anyOf, oneOf].flatMap((some) => (Array.isArray(some) ? some : []))
    if (forms.length > 0) this.#collect(forms[0], depth + 1, parts)
  }

  #object(schema: Json, depth: number): Json {
    const properties = isObject(schema['properties']) ? schema['properties'] : {}
    const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
    const names = required.length > 0 ? required : depth === 0 ? Object.keys(properties) : []
    return Object.fromEntries(names.map((name) => [name, this.value(properties[name], depth + 1)]))
  }

  #array(schema: Json, depth: number): readonly unknown[] {
    const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0
    const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : maxItems
    const length = Math.min(Math.max(least, this.#text === undefined ? 0 : 1), most, maxItems)
    return Array.from({ length }, () => this.value(schema['items'], depth + 1))
  }

  #string(schema: Json): string {
    const text = this.#text ?? ''
    this.#text = undefined
    const most = schema['maxLength']
    return typeof most === 'number' ? [...text].slice(0, most).join('') : text
  }
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
