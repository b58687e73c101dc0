import { jsonKind, type Kind, nestedJson } from './kinds.ts'

/** Values of any shape; the validation of every field must handle them. */
export const valueKinds: readonly Kind[] = [
  jsonKind('array of zeros', '0'),
  jsonKind('array of objects', '{}'),
  jsonKind('array of empty texts', '""'),
  jsonKind('array of nulls', 'null'),
  jsonKind('array of arrays', '[]'),
  jsonKind('array of short texts', (n) => `"${n}"`),
  jsonKind('array of typed objects', '{"type":"text","text":""}'),
  jsonKind('array of objects of another type', '{"type":"x","role":"y"}'),
  jsonKind('object of many fields', (n) => `"f${n}":0`, '{', '}'),
  jsonKind('object of numbers', (n) => `"${n}":{}`, '{', '}'),
  jsonKind('object of long names', (n) => `"${'n'.repeat(200)}${n}":1`, '{', '}'),
  jsonKind('object that says the same again', '"type":"text"', '{', '}'),
  nestedJson('arrays in arrays', '[', ']'),
  nestedJson('objects in objects', '{"a":', '}'),
  nestedJson('items in items', '{"items":[', ']}'),
  { name: 'long number', json: (size) => '9'.repeat('bytes' in size ? size.bytes : size.characters) },
  {
    name: 'long fraction',
    json: (size) => `0.${'9'.repeat('bytes' in size ? size.bytes : size.characters)}e-5`,
  },
]
