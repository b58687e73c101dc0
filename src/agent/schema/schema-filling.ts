import { isRecord, type Json } from '../json.ts'
import { resolve } from './schema-budget.ts'

/** Members of a schema that refers to itself would otherwise nest without end. */
const maxDepth = 12
const maxItems = 20
/** About 30 ms. A step is one value or keyword, or 64 characters of a name or a copied value. */
const maxSteps = 20_000

/**
 * Creates a value for a schema. `text` goes into the first string; everything else is as small as possible. Of `allOf`,
 * `anyOf` and `oneOf` the first form counts, so the value may not fit: the caller checks it. Null if the value needs too
 * many steps.
 */
export function fillSchema(root: unknown, text: string): unknown {
  let steps = maxSteps
  let unplaced: string | undefined = text
  const spent = (cost: number): boolean => {
    steps -= cost
    return steps < 0
  }
  /** The schema with its reference or its first form. */
  const plain = (given: unknown, depth: number): Json => {
    const schema = isRecord(given) ? given : {}
    const { $ref: ref, allOf, anyOf, oneOf } = schema
    const forms = [allOf, anyOf, oneOf].find(Array.isArray)
    const inner = typeof ref === 'string' ? resolve(root, ref) : forms?.[0]
    if (inner === undefined || depth > maxDepth || spent(Object.keys(schema).length)) return schema
    return { ...plain(inner, depth + 1), ...schema }
  }
  const value = (given: unknown, depth: number): unknown => {
    const schema = plain(given, depth)
    if (depth > maxDepth || spent(1)) return null
    const fixed = 'const' in schema ? schema['const'] : [schema['enum'] ?? []].flat()[0]
    // One long value can be copied many times.
    if (fixed !== undefined) return spent(JSON.stringify(fixed).length / 64) ? null : fixed
    switch (typeOf(schema)) {
      case 'object':
        return objectOf(schema, depth)
      case 'array':
        return itemsOf(schema, depth)
      case 'string':
        return placed(schema['maxLength'])
      case 'number':
      case 'integer':
        return numberIn(schema)
      case 'boolean':
        return false
      default:
        return null
    }
  }
  const placed = (maxLength: unknown): string => {
    const given = unplaced ?? ''
    unplaced = undefined
    return typeof maxLength === 'number' ? [...given].slice(0, maxLength).join('') : given
  }
  const objectOf = ({ properties: given, required }: Json, depth: number): Json => {
    const properties = isRecord(given) ? given : {}
    const names = Array.isArray(required) ? required.map(String) : depth === 0 ? Object.keys(properties) : []
    const members: [string, unknown][] = []
    for (const name of names) {
      if (spent(1 + name.length / 64)) break
      members.push([name, value(properties[name], depth + 1)])
    }
    return Object.fromEntries(members)
  }
  const itemsOf = ({ items, minItems, maxItems: most }: Json, depth: number): readonly unknown[] => {
    const least = typeof minItems === 'number' ? minItems : 0
    const wanted = Math.max(least, unplaced === undefined ? 0 : 1)
    const length = Math.min(wanted, typeof most === 'number' ? most : maxItems, maxItems)
    return Array.from({ length }, () => value(items, depth + 1))
  }
  const filled = value(root, 0)
  return steps < 0 ? null : filled
}

/** The type that a schema names, or that its keywords imply. */
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
