import { isRecord, type Json } from '../json.ts'
import { listOf, resolve } from './schema-budget.ts'

/** Maximum chain of references and alternatives: longer than real schemas, and short enough for recursion. */
const maxLevels = 200

/**
 * Maximum steps that one value can take against any part of a JSON Schema: the part itself, its `enum`,
 * `required` and `type` entries, and the same for everything that its `$ref`, `allOf`, `anyOf`, `oneOf` and
 * `not` apply. Infinity for circular references. Every object in the schema counts, because a reference can
 * make any of them a schema.
 */
export function largestExpansion(root: unknown): number {
  const expansion = new Expansion(root)
  const open: unknown[] = [root]
  let largest = 0
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (isRecord(value)) largest = Math.max(largest, expansion.steps(value, 0))
    for (const item of Object.values(value)) open.push(item)
  }
  return largest
}

class Expansion {
  readonly #root: unknown
  /** Undefined while a schema is being evaluated. Meeting it again means a circular reference. */
  readonly #known = new Map<Json, number | undefined>()

  constructor(root: unknown) {
    this.#root = root
  }

  steps(schema: Json, level: number): number {
    if (this.#known.has(schema)) return this.#known.get(schema) ?? Infinity
    if (level > maxLevels) return Infinity
    this.#known.set(schema, undefined)
    let sum = 1 + ['enum', 'required', 'type'].flatMap((name) => listOf(schema[name])).length
    for (const inner of this.#appliedWith(schema)) sum += this.steps(inner, level + 1)
    this.#known.set(schema, sum)
    return sum
  }

  /** Schemas that apply to the same value. */
  #appliedWith(schema: Json): readonly Json[] {
    const { $ref: ref, not, allOf, anyOf, oneOf } = schema
    const target = typeof ref === 'string' ? resolve(this.#root, ref) : undefined
    const forms = [allOf, anyOf, oneOf].flatMap(listOf)
    return [target, not, ...forms].filter(isRecord)
  }
}
