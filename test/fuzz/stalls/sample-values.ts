import type { Json } from '../../support/openapi-reader.ts'

/** Values that a schema allows, with the fields that requests need to pass the validation. */
export type SampleValues = {
  /** A value with the required members, and with the content of a message. */
  smallest(schema: Json, name?: string): unknown
  /** A value with every member, and one item in each array. */
  fullest(schema: Json, name?: string): unknown
  /** A schema without its `$ref`. */
  followed(schema: Json): Json
}

/** Values by the name of a field. */
const sensible: Readonly<Record<string, unknown>> = {
  model: 'service',
  role: 'user',
  content: 'Who is a beinoni?',
  input: 'Who is a beinoni?',
  text: 'A “quotation of some words” is here.',
  query: 'beinoni',
  url: 'https://images.example/a.png',
}

const deepest = 5

/** @param resolve looks up a `$ref`. */
export function sampleValues(resolve: (reference: string) => Json): SampleValues {
  const followed = (at: Json): Json => ('$ref' in at ? followed(resolve(String(at['$ref']))) : at)

  function sample(given: Json, name: string, isFull: boolean, depth: number): unknown {
    const at = followed(given)
    const branches = branchesOf(at)
    const branch = branches.find((one) => followed(one)['type'] !== 'null') ?? branches[0]
    if (branch) return sample(branch, name, isFull, depth)
    if (at['type'] === 'object') return objectOf(at, isFull, depth)
    if (at['type'] !== 'array') return simple(at, name)
    const members = isFull && depth < deepest ? 1 : Number(at['minItems'] ?? 0)
    const item = (at['items'] ?? {}) as Json
    return Array.from({ length: members }, () => sample(item, '', isFull, depth + 1))
  }

  function objectOf(at: Json, isFull: boolean, depth: number): unknown {
    const properties = (at['properties'] ?? {}) as Record<string, Json>
    const required = (at['required'] ?? []) as string[]
    const wanted = new Set([...required, 'content'])
    const kept = Object.entries(properties).filter(
      ([name]) => (isFull && depth < deepest) || wanted.has(name),
    )
    return Object.fromEntries(kept.map(([name, value]) => [name, sample(value, name, isFull, depth + 1)]))
  }

  return {
    smallest: (schema, name = '') => sample(schema, name, false, 0),
    fullest: (schema, name = '') => sample(schema, name, true, 0),
    followed,
  }
}

function simple(at: Json, name: string): unknown {
  if ('const' in at) return at['const']
  const values = at['enum'] as readonly unknown[] | undefined
  if (values) return values.includes(sensible[name]) ? sensible[name] : values[0]
  const types = [at['type']].flat()
  if (types.includes('string')) return sensible[name] ?? 'text'
  if (types.includes('boolean')) return true
  if (types.includes('null')) return null
  return types.includes('number') || types.includes('integer') ? Number(at['minimum'] ?? 1) : {}
}

/** The alternatives of a schema; empty when it has none. */
export function branchesOf(at: Json): readonly Json[] {
  return (at['anyOf'] ?? at['oneOf'] ?? at['allOf'] ?? []) as readonly Json[]
}
