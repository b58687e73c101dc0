import { printedHebrewAddress } from '../refs/grammar/hebrew-refs.ts'

/**
 * How a level of a text is numbered. `Talmud`: leaves with two sides, `2a`, `2b`. `Folio`: leaves with four columns,
 * `2a` to `2d`. Every other kind is a plain number in refs.
 */
export type AddressType = 'Talmud' | 'Folio' | 'Integer'

export function addressType(name: string | undefined): AddressType {
  return name === 'Talmud' || name === 'Folio' ? name : 'Integer'
}

/** The address of section `n` (from 1), as in refs. */
export function address(type: AddressType, n: number): string {
  const { leaf, side } = leafOf(type, n)
  return side === undefined ? String(n) : `${leaf}${'abcd'[side]}`
}

/** The address in Hebrew: `י״ג`, `ב׳ א`. */
export function hebrewAddress(type: AddressType, n: number): string {
  return printedHebrewAddress([address(type, n)])
}

function leafOf(type: AddressType, n: number): { readonly leaf: number; readonly side: number | undefined } {
  if (type === 'Integer') return { leaf: n, side: undefined }
  const sides = type === 'Talmud' ? 2 : 4
  return { leaf: Math.ceil(n / sides), side: (n - 1) % sides }
}

/** Numbers before the first one of a level, by depth: one number, or one per section of the levels above. */
export type Offsets = Readonly<Record<string, unknown>>

/** The number (from 1) of the entry at `indexes` (from 0) on its lowest level. */
export function numberAt(offsets: Offsets | undefined, indexes: readonly number[]): number {
  const own = (indexes.at(-1) ?? 0) + 1
  let offset = offsets?.[String(indexes.length)]
  for (const index of indexes.slice(0, -1)) if (Array.isArray(offset)) offset = offset[index]
  return typeof offset === 'number' ? own + offset : own
}

/**
 * Converts a ref to a path of sefaria.org: `Gates of Song 1:2` becomes `Gates_of_Song.1.2`. Other characters are
 * percent-encoded.
 */
export function urlRef(ref: string): string {
  const dotted = ref.replace(/ (?=\d+[a-d]?(?::\d+[a-d]?)*$)/, '.').replaceAll(':', '.')
  return encodeURIComponent(dotted.replaceAll(' ', '_'))
}
