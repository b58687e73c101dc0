import { isRecord, type Json } from '../json.ts'

/** Shared by all code that walks a client's JSON Schema: a budget of steps, references, and equality of values. */

/** Thrown when a walk exceeds its budget. */
export class Undecided extends Error {
  override readonly name = 'Undecided'
}

/**
 * A budget of steps. Schemas come from clients; one that branches or refers to itself without end must not
 * block the process.
 */
export class Budget {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  /** @throws Undecided if the budget is exceeded. */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new Undecided()
  }
}

/** A keyword whose value is a list; empty if it is none. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Resolves a reference within the schema, such as `#/$defs/step`. Undefined if it has no target. */
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

/**
 * Whether two JSON values are equal. It costs one step per value and per 64 compared characters.
 * @throws Undecided
 */
export function sameJson(one: unknown, other: unknown, budget: Budget): boolean {
  const open: [unknown, unknown][] = [[one, other]]
  for (let pair = open.pop(); pair; pair = open.pop()) {
    budget.spend(1)
    const [a, b] = pair
    if (typeof a === 'string' && typeof b === 'string') {
      if (a.length === b.length) budget.spend(a.length / 64)
    }
    if (a === b) continue
    if (!addMembers(a, b, open, budget)) return false
  }
  return true
}

/** @returns false unless both are containers with the same members. */
function addMembers(a: unknown, b: unknown, open: [unknown, unknown][], budget: Budget): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false
    budget.spend(a.length)
    for (const [i, item] of a.entries()) open.push([item, b[i]])
    return true
  }
  if (!isRecord(a) || !isRecord(b)) return false
  const names = Object.keys(a)
  budget.spend(names.length)
  const others = Object.keys(b)
  budget.spend(others.length)
  if (names.length !== others.length) return false
  for (const name of names) {
    if (!Object.hasOwn(b, name)) return false
    open.push([a[name], b[name]])
  }
  return true
}
