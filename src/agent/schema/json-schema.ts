import { isRecord, type Json } from '../json.ts'
import { Budget, listOf, resolve, sameJson, Undecided } from './schema-budget.ts'

/** About 30 ms of checking. A step is one schema, enum member, required name or 64 examined characters. */
const maxSteps = 50_000
const maxDepth = 200

/**
 * Why `value` does not fit a JSON Schema, in words for a model; null if it fits. It knows the keywords of
 * structured outputs. Other keywords, including `pattern` and `format`, count as met (a foreign pattern can run
 * forever). A value that is not decided within 50,000 steps also counts as valid.
 * @param root the schema in which references are resolved.
 */
export function schemaFault(schema: unknown, value: unknown, root = schema): string | null {
  try {
    const fault = new Check(root).fault({ schema, value, path: '', depth: 0 })
    return fault === null ? null : fault()
  } catch (error) {
    if (error instanceof Undecided) return null
    throw error
  }
}

/** A fault's text is created on demand, because another alternative often makes the fault irrelevant. */
type Fault = (() => string) | null

type Place = {
  readonly schema: unknown
  readonly value: unknown
  readonly path: string
  readonly depth: number
}

/** A place whose schema is an object. */
type Spot = Place & { readonly schema: Json }

class Check {
  readonly #root: unknown
  readonly #budget = new Budget(maxSteps)
  readonly #lengths = new Map<string, number>()

  constructor(root: unknown) {
    this.#root = root
  }

  /**
   * The first fault at a place, or null.
   * @throws Undecided if the check takes too many steps.
   */
  fault(place: Place): Fault {
    const { schema, value, path, depth } = place
    this.#budget.spend(1)
    if (depth > maxDepth) throw new Undecided()
    if (schema === false) return () => `${named(path)} must not be there`
    if (!isRecord(schema)) return null
    const spot = { ...place, schema }
    return (
      this.#targetFault(spot) ??
      this.#typeFault(spot) ??
      this.#enumFault(spot) ??
      this.#combinationFault(spot) ??
      (typeof value === 'string' ? this.#lengthFault(spot, value) : null) ??
      (typeof value === 'number' ? numberFault(schema, value, path) : null) ??
      (Array.isArray(value) ? this.#itemsFault(spot, value) : null) ??
      (isRecord(value) ? this.#membersFault(spot, value) : null)
    )
  }

  #targetFault(spot: Spot): Fault {
    const { $ref: ref } = spot.schema
    if (typeof ref !== 'string') return null
    this.#budget.spend(ref.length / 64)
    const target = resolve(this.#root, ref)
    return target === undefined ? null : this.#same(spot, target)
  }

  /** Checks the same value against another schema. */
  #same(spot: Spot, schema: unknown): Fault {
    return this.fault({ ...spot, schema, depth: spot.depth + 1 })
  }

  #typeFault({ schema, value, path }: Spot): Fault {
    const { type = [] } = schema
    const types = Array.isArray(type) ? type : [type]
    this.#budget.spend(types.length)
    if (types.length === 0 || types.some((type) => isOfType(type, value))) return null
    return () => `${named(path)} must be of type ${types.join(' or ')}`
  }

  #enumFault({ schema, value, path }: Spot): Fault {
    const { enum: values } = schema
    if (Array.isArray(values) && !values.some((one) => sameJson(one, value, this.#budget))) {
      return () => `${named(path)} must be one of ${JSON.stringify(values).slice(0, 500)}`
    }
    if ('const' in schema && !sameJson(schema['const'], value, this.#budget)) {
      return () => `${named(path)} must be ${JSON.stringify(schema['const']).slice(0, 500)}`
    }
    return null
  }

  #combinationFault(spot: Spot): Fault {
    const { schema, path } = spot
    for (const one of listOf(schema['allOf'])) {
      const fault = this.#same(spot, one)
      if (fault !== null) return fault
    }
    const any = this.#anyFault(spot, listOf(schema['anyOf']))
    if (any !== null) return any
    const one = listOf(schema['oneOf'])
    if (one.length > 0 && one.filter((form) => this.#same(spot, form) === null).length !== 1) {
      return () => `${named(path)} must fit exactly one of the forms that it may have`
    }
    if ('not' in schema && this.#same(spot, schema['not']) === null) {
      return () => `${named(path)} has a form that is excluded`
    }
    return null
  }

  #anyFault(spot: Spot, forms: readonly unknown[]): Fault {
    let first: Fault = null
    for (const form of forms) {
      const fault = this.#same(spot, form)
      if (fault === null) return null
      first ??= fault
    }
    if (forms.length < 2) return first
    return () => `${named(spot.path)} fits none of the forms that it may have`
  }

  #lengthFault({ schema, path }: Spot, text: string): Fault {
    const { minLength, maxLength } = schema
    const bound = (name: string, most: unknown) => () => `${named(path)}: \`${name}\` is ${String(most)}`
    if (typeof minLength === 'number' && this.#lengthOf(text) < minLength)
      return bound('minLength', minLength)
    if (typeof maxLength === 'number' && this.#lengthOf(text) > maxLength)
      return bound('maxLength', maxLength)
    return null
  }

  /** Length in code points. It is counted once per text. */
  #lengthOf(text: string): number {
    const known = this.#lengths.get(text)
    if (known !== undefined) return known
    this.#budget.spend(text.length / 64)
    let length = 0
    for (const _ of text) length += 1
    this.#lengths.set(text, length)
    return length
  }

  #itemsFault({ schema, path, depth }: Spot, value: readonly unknown[]): Fault {
    const { minItems, maxItems, items } = schema
    if (typeof minItems === 'number' && value.length < minItems) {
      return () => `${named(path)} must have at least ${minItems} items`
    }
    if (typeof maxItems === 'number' && value.length > maxItems) {
      return () => `${named(path)} must have at most ${maxItems} items`
    }
    const first = listOf(schema['prefixItems'])
    // If `items` allows everything, only the items of `prefixItems` need a check.
    const looked = isUnbounded(items) ? Math.min(first.length, value.length) : value.length
    for (let i = 0; i < looked; i += 1) {
      const form = i < first.length ? first[i] : items
      const fault = this.fault({ schema: form, value: value[i], path: `${path}/${i}`, depth: depth + 1 })
      if (fault !== null) return fault
    }
    return null
  }

  #membersFault({ schema, path, depth }: Spot, value: Json): Fault {
    const required = listOf(schema['required'])
    this.#budget.spend(required.length)
    const missing = required.find((name) => !Object.hasOwn(value, String(name)))
    if (missing !== undefined) return () => `${named(path)} lacks the member ${JSON.stringify(missing)}`
    const properties = isRecord(schema['properties']) ? schema['properties'] : {}
    // `patternProperties` are not evaluated, so with them nothing is known about other names.
    const others = 'patternProperties' in schema ? undefined : schema['additionalProperties']
    if (!('properties' in schema) && isUnbounded(others)) return null
    for (const name in value) {
      const known = Object.hasOwn(properties, name)
      const form = known ? properties[name] : others
      const fault = this.fault({
        schema: form,
        value: value[name],
        path: `${path}/${name}`,
        depth: depth + 1,
      })
      if (fault !== null) return fault
    }
    return null
  }
}

/** Whether a schema obviously accepts everything. */
const isUnbounded = (schema: unknown): boolean => schema === undefined || schema === true

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
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

function numberFault(schema: Json, value: number, path: string): Fault {
  const bound = (name: string) => (typeof schema[name] === 'number' ? (schema[name] as number) : undefined)
  const is = (name: string) => () => `${named(path)}: \`${name}\` is ${bound(name)}`
  if (value < (bound('minimum') ?? -Infinity)) return is('minimum')
  if (value > (bound('maximum') ?? Infinity)) return is('maximum')
  if (value <= (bound('exclusiveMinimum') ?? -Infinity)) return () => `${named(path)} is too small`
  if (value >= (bound('exclusiveMaximum') ?? Infinity)) return () => `${named(path)} is too large`
  const step = bound('multipleOf')
  if (step && !Number.isInteger(value / step)) return () => `${named(path)} must be a multiple of ${step}`
  return null
}

const named = (path: string): string => (path === '' ? 'the answer' : `\`${path}\``)
