import fc from 'fast-check'
import { type Json, referred } from '../support/openapi-reader.ts'

/** Generates values that a JSON Schema of the document allows. Patterns and formats are not followed. */
export type SchemaValues = (schema: Json) => fc.Arbitrary<unknown>

/** Below this depth only required members are generated. */
const deepest = 5

/** @param document the OpenAPI document that contains the `$ref` targets. */
export function schemaValues(document: object): SchemaValues {
  return (schema) => arbitraryOf(schema, 0)

  function arbitraryOf(schema: Json, depth: number): fc.Arbitrary<unknown> {
    if ('$ref' in schema)
      return fc.constant(null).chain(() => arbitraryOf(referred(document, String(schema['$ref'])), depth))
    if ('const' in schema) return fc.constant(schema['const'])
    if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as readonly unknown[]))
    const branches = (schema['anyOf'] ?? schema['oneOf']) as readonly Json[] | undefined
    if (branches) return fc.oneof(...branches.map((branch) => arbitraryOf(branch, depth)))
    const all = schema['allOf'] as readonly Json[] | undefined
    if (all)
      return fc
        .tuple(...all.map((part) => arbitraryOf(part, depth)))
        .map((parts) => Object.assign({}, ...parts))
    const types = [schema['type']].flat()
    if (types[0] === undefined) return anyJson
    return fc.oneof(...types.map((type) => typed(String(type), schema, depth)))
  }

  function typed(type: string, schema: Json, depth: number): fc.Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'integer':
        return fc.integer(bounds(schema, 0, 200))
      case 'number':
        return fc.double({ ...bounds(schema, -2, 4), noNaN: true })
      case 'array': {
        const items = arbitraryOf((schema['items'] ?? {}) as Json, depth + 1)
        return depth > deepest
          ? fc.constant([])
          : fc.array(items, { minLength: Number(schema['minItems'] ?? 0), maxLength: 3 })
      }
      case 'object':
        return objectOf(schema, depth)
      default:
        return textOf(schema)
    }
  }

  function objectOf(schema: Json, depth: number): fc.Arbitrary<unknown> {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
    const required = (schema['required'] ?? []) as string[]
    const kept = properties.filter(([name]) => depth <= deepest || required.includes(name))
    const model = Object.fromEntries(kept.map(([name, value]) => [name, arbitraryOf(value, depth + 1)]))
    const free =
      properties.length === 0
        ? fc.dictionary(fc.string({ maxLength: 8 }), anyJson, { maxKeys: 3 })
        : fc.constant({})
    return fc
      .tuple(fc.record(model, { requiredKeys: required.filter((name) => name in model) }), free)
      .map(([one, more]) => ({ ...more, ...one }))
  }
}

function bounds(schema: Json, min: number, max: number): { min: number; max: number } {
  const low = Number(schema['minimum'] ?? min)
  return { min: low, max: Math.max(low, Math.min(Number(schema['maximum'] ?? max), low + 1_000_000)) }
}

const anyJson = fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' })
const words = ['Who is a tzaddik?', 'מהו בינוני', 'Use the tool.', 'service', 'Tanya 1:1', '\u{1f4dc}']

function textOf(schema: Json): fc.Arbitrary<string> {
  const most = Math.min(Number(schema['maxLength'] ?? 60), 60)
  const least = Math.min(Number(schema['minLength'] ?? 0), most)
  const sensible = words.filter((word) => word.length <= most && word.length >= least)
  const any = fc.string({ minLength: least, maxLength: most, unit: 'grapheme' })
  return sensible.length === 0 ? any : fc.oneof(fc.constantFrom(...sensible), any)
}
