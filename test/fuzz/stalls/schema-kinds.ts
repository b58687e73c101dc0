import { jsonKind, type Kind, type Size } from './kinds.ts'

/** A JSON Schema that is expensive to check, and the model's reply that triggers the check. */
export type SchemaKind = Kind & { readonly reply: string }

const text = 'a'.repeat(150_000)
const longText = JSON.stringify(text)
const manyItems = JSON.stringify(Array.from({ length: 30_000 }, (_, n) => n))
const manyFields = JSON.stringify(Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`f${n}`, n])))

const roomOf = (size: Size): number => ('bytes' in size ? size.bytes : size.characters)
const list = (times: number, piece: (n: number) => string): string =>
  Array.from({ length: Math.max(1, Math.floor(times)) }, (_, n) => piece(n)).join(',')

const kind = (name: string, reply: string, json: (room: number) => string): SchemaKind => ({
  name: `schema: ${name}`,
  reply,
  json: (size) => json(roomOf(size)),
})

const repeats = (name: string, reply: string, piece: string): SchemaKind => ({
  ...jsonKind(`schema: ${name}`, piece, '{"allOf":[', ']}'),
  reply,
})

/**
 * Schemas inside and outside the supported dialect. Half of the size goes into the content, half into the
 * number of repetitions.
 */
export const schemaKinds: readonly SchemaKind[] = [
  kind('many references to a long enum', '"x"', (room) => {
    const values = list(room / 14, (n) => `${100_000 + n}`)
    const references = list(room / 2 / 22, () => '{"$ref":"#/$defs/e"}')
    // Only the last value matches, so each reference compares all of them.
    return `{"$defs":{"e":{"enum":[${values},"x"]}},"allOf":[${references}]}`
  }),
  kind('references that double', '"x"', (room) => {
    const depth = Math.max(2, Math.min(40, Math.floor(room / 60)))
    const next = (n: number) =>
      `"d${n}":{"allOf":[{"$ref":"#/$defs/d${n + 1}"},{"$ref":"#/$defs/d${n + 1}"}]}`
    return `{"$defs":{${list(depth, next)},"d${depth}":{"type":"string"}},"allOf":[{"$ref":"#/$defs/d0"}]}`
  }),
  kind('chain of references', '"x"', (room) => {
    const depth = Math.max(2, Math.floor(room / 34))
    return `{"$defs":{${list(depth, (n) => `"d${n}":{"$ref":"#/$defs/d${n + 1}"}`)},"d${depth}":{}},"$ref":"#/$defs/d0"}`
  }),
  kind('reference to itself', '"x"', () => '{"$defs":{"a":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}'),
  repeats('lengths of a long text', longText, '{"type":"string","minLength":2}'),
  repeats('longest lengths of a long text', longText, '{"maxLength":150001}'),
  repeats('patterns that backtrack', `"${'a'.repeat(200)}!"`, '{"type":"string","pattern":"^(a+)+$"}'),
  repeats('formats', longText, '{"type":"string","format":"email"}'),
  repeats('items that may not repeat', manyItems, '{"uniqueItems":true}'),
  repeats('items', manyItems, '{"items":{"type":"number"}}'),
  repeats('fields that may come', manyFields, '{"additionalProperties":{"type":"number"}}'),
  repeats('values that it must be', longText, '{"const":"b"}'),
  repeats('branches', longText, '{"anyOf":[{"type":"string","minLength":160000},{"type":"string"}]}'),
  kind('long enum', longText, (room) => `{"enum":[${list(room / 8, (n) => `${1_000_000 + n}`)}]}`),
  kind('many required fields', manyFields, (room) => {
    const names = list(room / 2 / 8, (n) => `"f${n}"`)
    return `{"type":"object","required":[${names}],"properties":{${list(room / 2 / 10, (n) => `"f${n}":{}`)}}}`
  }),
  kind('required fields again and again', manyFields, (room) => {
    const part = `{"required":[${list(Math.sqrt(room) / 4, (n) => `"f${n}"`)}]}`
    return `{"allOf":[${list(room / part.length, () => part)}]}`
  }),
  kind('items in items', '[[[[1]]]]', (room) => {
    const depth = Math.max(1, Math.floor(room / 26))
    return `${'{"type":"array","items":'.repeat(depth)}{}${'}'.repeat(depth)}`
  }),
  kind('branches in branches', '1', (room) => {
    const depth = Math.max(1, Math.min(60, Math.floor(room / 40)))
    return `${'{"anyOf":[{"type":"null"},'.repeat(depth)}{}${']}'.repeat(depth)}`
  }),
  kind('long description', '"x"', (room) => `{"type":"string","description":"${'d'.repeat(room)}"}`),
]
