import { address, addressType, hebrewAddress, numberAt } from '../../../library/address.ts'
import type { PlacedSegment } from './walk.ts'

/** What the API says about the place of a section. */
type Section = {
  readonly ref: string
  readonly heRef: string
  readonly sectionRef: string
  /** Numbers of its ref. */
  readonly sections: readonly (string | number)[]
  readonly addressTypes: readonly string[]
  readonly index_offsets_by_depth?: Readonly<Record<string, unknown>> | null | undefined
}

/**
 * Returns the segments of a section in one version. The API gives the ref of the section; segments below it are
 * numbered here.
 * @param number index of the section in the reading order.
 */
export function segmentsOf(section: Section, text: unknown, number: number): readonly PlacedSegment[] {
  const found: PlacedSegment[] = []
  const descend = (value: unknown, path: readonly number[]): void => {
    if (Array.isArray(value)) {
      for (const [index, entry] of value.entries()) descend(entry, [...path, index])
      return
    }
    if (typeof value !== 'string' || value.trim() === '') return
    const place = placeBelow(section, path)
    found.push({ place, html: value, order: [number, ...path] })
  }
  descend(text, [])
  return found
}

function placeBelow(section: Section, path: readonly number[]): PlacedSegment['place'] {
  const above = section.sections.length
  // Offsets are by full depth. The section's own ref already includes those of its levels.
  const offsets = Object.fromEntries(
    Object.entries(section.index_offsets_by_depth ?? {}).map(([depth, offset]) => [
      String(Number(depth) - above),
      offset,
    ]),
  )
  const numbers = path.map((_, level) => ({
    n: numberAt(offsets, path.slice(0, level + 1)),
    type: addressType(section.addressTypes[above + level]),
  }))
  const join = (title: string, parts: readonly string[]): string =>
    parts.length === 0 ? title : `${title}${above > 0 ? ':' : ' '}${parts.join(':')}`
  const parts = numbers.map(({ n, type }) => address(type, n))
  const hebrew = numbers.map(({ n, type }) => hebrewAddress(type, n))
  return {
    ref: join(section.ref, parts),
    heRef: section.heRef === '' ? '' : join(section.heRef, hebrew),
    sectionRef: path.length === 0 ? section.sectionRef || section.ref : join(section.ref, parts.slice(0, -1)),
  }
}
