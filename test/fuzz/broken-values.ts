import fc from 'fast-check'
import { anyText } from '../support/any-text.ts'

/**
 * Texts that no schema expects: control characters, unpaired surrogates, paths, markup, SQL statements, and
 * very long ones.
 */
export const brokenText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...['', ' ', '\0', 'a\0b', '\ud800', '\udfff', '\ufeff', '\u202e', "'; drop table runs; --", '" or 1=1'],
    ...'../../etc/passwd ..\\.. / %00 % %zz <script> {{7*7}} __proto__ constructor toString'.split(' '),
    ...'null NaN -0 1e999 0x10 https://elsewhere.example/ file:///etc/passwd [S1] *'.split(' '),
    ...['$' + '{7*7}', '9'.repeat(400), 'א'.repeat(300), '\u0301'.repeat(500)],
  ),
  anyText(40),
  fc.integer({ min: 1, max: 20_000 }).map((length) => 'x'.repeat(length)),
)

/** Values of every wrong kind. */
export const brokenValue: fc.Arbitrary<unknown> = fc.oneof(
  brokenText,
  fc.constantFrom<unknown>(
    ...[null, true, 0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e300, -0],
    ...[[], {}, [[]], [null], { a: { a: {} } }],
  ),
  fc.integer({ min: 1, max: 400 }).map(nested),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
)

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** One way to break a value: the index of the changed part, and the new content. */
export type Break = {
  readonly at: number
  readonly how: 'replace' | 'remove' | 'add'
  readonly value: unknown
}

export const breaks: fc.Arbitrary<Break> = fc.record({
  at: fc.nat(500),
  how: fc.constantFrom('replace', 'replace', 'remove', 'add'),
  value: brokenValue,
})

/** A copy of `value` with one part changed. */
export function broken(value: unknown, { at, how, value: piece }: Break): unknown {
  const copy = structuredClone(value)
  const places = placesOf(copy)
  const place = places[at % Math.max(1, places.length)]
  if (!place) return piece
  const { holder, key } = place
  if (how === 'remove' && !Array.isArray(holder)) delete holder[key]
  else if (how === 'add' && !Array.isArray(holder)) holder[`extra ${String(key)}`] = piece
  else holder[key] = piece
  return copy
}

type Place = { readonly holder: Record<string, unknown>; readonly key: string }

function placesOf(value: unknown): readonly Place[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesOf(holder[key])])
}
