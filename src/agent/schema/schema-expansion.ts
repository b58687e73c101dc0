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
  /** Undefined while a schema is being evaluated. Meeting it again means a circular reference. */
  const known = new Map<Json, number | undefined>()
  const stepsOf = (schema: Json, level: number): number => {
    if (known.has(schema)) return known.get(schema) ?? Infinity
    if (level > maxLevels) return Infinity
    known.set(schema, undefined)
    let sum = 1 + ['enum', 'required', 'type'].flatMap((name) => listOf(schema[name])).length
    for (const inner of appliedWith(root, schema)) sum += stepsOf(inner, level + 1)
    known.set(schema, sum)
    return sum
  }
  const open: unknown[] = [root]
  let largest = 0
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (isRecord(value)) largest = Math.max(largest, stepsOf(value, 0))
    for (const item of Object.values(value)) open.push(item)
  }
  return largest
}

/** Schemas that apply to the same value. */
function appliedWith(root: unknown, { $ref: ref, not, allOf, anyOf, oneOf }: Json): readonly Json[] {
  const target = typeof ref === 'string' ? resolve(root, ref) : undefined
  return [target, not, ...[allOf, anyOf, oneOf].flatMap(listOf)].filter(isRecord)
}
