import { isRecord, type Json } from '../json.ts'
import { schemaFault } from './json-schema.ts'
import { Budget, listOf, resolve, Undecided } from './schema-budget.ts'

/** About 30 ms. A step is one schema, or one name, type or value in it. */
const maxSteps = 20_000

/**
 * Why no JSON value fits a JSON Schema, in words; null if some value may. It is certain only when it names a reason: it
 * looks at one keyword, or at two that contradict each other, and passes over `pattern`, `format`, `multipleOf`, `not` of
 * more than everything, and bounds that only several members of `allOf` contradict together.
 */
export function whyImpossible(schema: unknown): string | null {
  try {
    return new Look(schema).reason(schema, jsonTypes, '')
  } catch (error) {
    if (error instanceof Undecided) return null
    throw error
  }
}

const jsonTypes: readonly string[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']

class Look {
  readonly #root: unknown
  readonly #budget = new Budget(maxSteps)
  /** Schemas that are being looked at. A value that must contain itself has no end. */
  readonly #open = new Set<Json>()

  constructor(root: unknown) {
    this.#root = root
  }

  /** @param allowed the types that schemas around it leave to the same value. */
  reason(schema: unknown, allowed: readonly string[], path: string): string | null {
    this.#budget.spend(1)
    if (schema === false) return `${named(path)} is \`false\``
    if (!isRecord(schema)) return null
    if (this.#open.has(schema)) return `${named(path)} must contain itself`
    this.#open.add(schema)
    try {
      return this.#reasonOf(schema, allowed, path)
    } finally {
      this.#open.delete(schema)
    }
  }

  #reasonOf(schema: Json, allowed: readonly string[], path: string): string | null {
    if (schema['not'] === true || (isRecord(schema['not']) && Object.keys(schema['not']).length === 0))
      return `${named(path)} excludes every value with \`not\``
    const types = this.#typesOf(schema, allowed)
    if (types.length === 0) return `${named(path)} allows no type`
    return (
      this.#valuesReason(schema, path) ??
      this.#combined(schema, types, path) ??
      this.#ofTypes(schema, types, path)
    )
  }

  /** The types that `type` of the schema, of its reference and of all its `allOf` leave. */
  #typesOf(schema: unknown, allowed: readonly string[], depth = 0): readonly string[] {
    if (!isRecord(schema) || depth > maxDepth) return allowed
    const { type = [] } = schema
    const own = Array.isArray(type) ? type : [type]
    this.#budget.spend(1 + own.length)
    const left =
      own.length === 0
        ? allowed
        : allowed.filter((one) => own.includes(one) || (one === 'integer' && own.includes('number')))
    return this.#sameValue(schema).reduce<readonly string[]>(
      (types, one) => this.#typesOf(one, types, depth + 1),
      left,
    )
  }

  /** Schemas that the same value must fit. */
  #sameValue({ $ref: ref, allOf }: Json): readonly unknown[] {
    const target = typeof ref === 'string' ? resolve(this.#root, ref) : undefined
    return [...(target === undefined ? [] : [target]), ...listOf(allOf)]
  }

  /** None of the listed values fits the rest of the schema. */
  #valuesReason(schema: Json, path: string): string | null {
    const listed = 'const' in schema ? [schema['const']] : schema['enum']
    if (!Array.isArray(listed)) return null
    this.#budget.spend(listed.length)
    if (listed.some((value) => schemaFault(schema, value, this.#root) === null)) return null
    return `no value of \`${'const' in schema ? 'const' : 'enum'}\` in ${named(path)} fits the rest of the schema`
  }

  #combined(schema: Json, types: readonly string[], path: string): string | null {
    for (const one of this.#sameValue(schema)) {
      const reason = this.reason(one, types, path)
      if (reason !== null) return reason
    }
    for (const forms of [listOf(schema['anyOf']), listOf(schema['oneOf'])]) {
      const reasons = forms.map((form) => this.reason(form, types, path))
      if (reasons.length > 0 && !reasons.includes(null)) return reasons[0] ?? null
    }
    return null
  }

  /** Each type that is left is impossible for a reason of its own. */
  #ofTypes(schema: Json, types: readonly string[], path: string): string | null {
    let first: string | null = null
    for (const type of types) {
      const reason = this.#ofType(schema, type, path)
      if (reason === null) return null
      first ??= reason
    }
    return first
  }

  #ofType(schema: Json, type: string, path: string): string | null {
    switch (type) {
      case 'string':
        return crossed(schema, 'minLength', 'maxLength', path)
      case 'integer':
      case 'number':
        return numberReason(schema, type === 'integer', path)
      case 'array':
        return crossed(schema, 'minItems', 'maxItems', path) ?? this.#itemsReason(schema, path)
      case 'object':
        return crossed(schema, 'minProperties', 'maxProperties', path) ?? this.#membersReason(schema, path)
      default:
        return null
    }
  }

  #itemsReason(schema: Json, path: string): string | null {
    const { items, prefixItems, minItems } = schema
    if (typeof minItems !== 'number' || minItems < 1 || Array.isArray(prefixItems)) return null
    return this.reason(items, jsonTypes, `${path}/items`)
  }

  #membersReason(schema: Json, path: string): string | null {
    const { required, additionalProperties, patternProperties, maxProperties } = schema
    const properties = isRecord(schema['properties']) ? schema['properties'] : {}
    const names = new Set(listOf(required).filter((name) => typeof name === 'string'))
    this.#budget.spend(names.size)
    if (typeof maxProperties === 'number' && names.size > maxProperties)
      return `${named(path)} requires more members than \`maxProperties\` allows`
    for (const name of names) {
      const isKnown = Object.hasOwn(properties, name)
      if (!isKnown && isRecord(patternProperties)) continue
      if (!isKnown && additionalProperties === false)
        return `${named(path)} requires "${name.slice(0, 100)}", which \`additionalProperties\` forbids`
      const member = isKnown ? properties[name] : additionalProperties
      const reason = this.reason(member, jsonTypes, `${path}/properties/${name.slice(0, 100)}`)
      if (reason !== null) return reason
    }
    return null
  }
}

/** Chains of `$ref` and `allOf` that the look at types follows. */
const maxDepth = 50

function crossed(schema: Json, least: string, most: string, path: string): string | null {
  const { [least]: min = 0, [most]: max } = schema
  if (typeof min !== 'number' || typeof max !== 'number' || min <= max) return null
  return `${named(path)} has a \`${least}\` above its \`${most}\``
}

function numberReason(schema: Json, isInteger: boolean, path: string): string | null {
  const bound = (name: string) => (typeof schema[name] === 'number' ? [schema[name] as number] : [])
  const [lowest, above] = [Math.max(...bound('minimum')), Math.max(...bound('exclusiveMinimum'))]
  const [highest, below] = [Math.min(...bound('maximum')), Math.min(...bound('exclusiveMaximum'))]
  const [low, high] = [Math.max(lowest, above), Math.min(highest, below)]
  const isExclusive = above >= lowest && above === low ? true : below <= highest && below === high
  if (low > high || (low === high && isExclusive)) return `${named(path)} has a minimum above its maximum`
  if (!isInteger) return null
  const [first, last] = [
    above === low ? Math.floor(low) + 1 : Math.ceil(low),
    below === high ? Math.ceil(high) - 1 : Math.floor(high),
  ]
  return first > last ? `${named(path)} allows no whole number` : null
}

/** A place in the schema, as a JSON pointer. */
const named = (path: string): string => (path === '' ? 'the schema' : `\`${path}\``)
