import type { Json } from '../../support/openapi-reader.ts'
import { jsonKind, type Kind } from './kinds.ts'
import { branchesOf, type SampleValues, sampleValues } from './sample-values.ts'
import { schemaKinds } from './schema-kinds.ts'
import { textKinds } from './text-kinds.ts'
import { valueKinds } from './value-kinds.ts'

/** A place in a JSON body for a value of any size. */
export type Place = {
  /**
   * Path such as `messages[].content`; `[*]` is all members of an array, and the empty path is the body
   * itself.
   */
  readonly path: string
  readonly kinds: readonly Kind[]
  /** The body with `json`, the JSON text of a value, at this place. */
  readonly body: (json: string) => string
}

/** Below this depth fields repeat those of known places. */
const deepest = 7

/** Marks the place of the value; no request contains this text otherwise. */
const mark = '\ue000place\ue001'

/** Puts a value at its place, with the rest of the body around it. */
type Put = (value: unknown) => unknown

/**
 * All places of a JSON body that the schema describes, and unknown fields.
 * @param resolve looks up a `$ref`.
 */
export function placesOf(schema: Json, resolve: (reference: string) => Json): readonly Place[] {
  const samples = sampleValues(resolve)
  const found = new Map<string, Place>()
  visit(schema, '', (value) => value, 0)
  return [...found.values()]

  function visit(given: Json, path: string, put: Put, depth: number): void {
    const at = samples.followed(given)
    const branches = branchesOf(at)
    for (const branch of branches) visit(branch, path, put, depth)
    if (branches.length > 0) return
    add(path, kindsFor(at), put)
    if (depth >= deepest) return
    if (at['items']) visitItems(at['items'] as Json, path, put, depth)
    if (at['type'] === 'object') visitFields(at, path, put, depth)
  }

  function visitItems(items: Json, path: string, put: Put, depth: number): void {
    visit(items, `${path}[]`, (value) => put([value]), depth + 1)
    add(`${path}[*]`, memberKinds(items, samples), put)
  }

  function visitFields(at: Json, path: string, put: Put, depth: number): void {
    const around = samples.smallest(at) as object
    const properties = Object.entries((at['properties'] ?? {}) as Record<string, Json>)
    for (const [name, property] of properties)
      visit(property, `${path}.${name}`, (value) => put({ ...around, [name]: value }), depth + 1)
    add(`${path}.unknown`, valueKinds, (value) => put({ ...around, unknown: value }))
  }

  /** Branches of a schema share a place; it gets the kinds of all of them. */
  function add(path: string, kinds: readonly Kind[], put: Put): void {
    const known = found.get(path)
    const more = kinds.filter(({ name }) => !known?.kinds.some((kind) => kind.name === name))
    const [before = '', after = ''] = JSON.stringify(put(mark)).split(JSON.stringify(mark))
    const body = known?.body ?? ((json: string) => before + json + after)
    found.set(path, { path: path.replace(/^\./, ''), kinds: [...(known?.kinds ?? []), ...more], body })
  }
}

function kindsFor(at: Json): readonly Kind[] {
  if ('const' in at || 'enum' in at) return valueKinds.slice(0, 2)
  const types = [at['type']].flat()
  if (types.includes('string')) return [...textKinds, ...valueKinds.slice(0, 2)]
  if (types[0] === undefined) return [...valueKinds, ...textKinds]
  const isFree = types.includes('object') && Object.keys(at['properties'] ?? {}).length === 0
  return isFree ? [...schemaKinds, ...valueKinds] : valueKinds
}

/** Many valid members, so that the work after the validation is measured too. */
function memberKinds(items: Json, { smallest, fullest }: SampleValues): readonly Kind[] {
  return [
    jsonKind('smallest members', JSON.stringify(smallest(items))),
    jsonKind('full members', JSON.stringify(fullest(items))),
  ]
}
