import { z } from 'zod'
import type { PassageRef } from '../../../index/passage-ref.ts'
import { urlRef } from '../../../library/address.ts'
import { classifyLicense, mayImport, type RestrictedLicense } from '../../../library/licenses.ts'
import type { WorkFacts } from '../../../library/writing/library.ts'
import type { VersionText } from '../../../library/writing/version-text.ts'
import { readSegment } from '../../markup.ts'
import { detectLanguage, isMachineMade } from './language.ts'
import type { PlacedSegment } from './walk.ts'

const word = z.string().trim().catch('')

/** Properties of a version that export files and API answers share. Any of them may be missing. */
export const versionHeader = z.object({
  versionTitle: word,
  language: word,
  actualLanguage: word,
  license: word,
  versionNotes: word,
})

export type VersionHeader = z.infer<typeof versionHeader>

/** A version ready to be stored. Its places have sort keys that are comparable between versions. */
export type ReadVersion = {
  readonly work: WorkFacts
  readonly version: VersionText
  readonly places: readonly OrderedPlace[]
  readonly warnings: readonly string[]
}

export type OrderedPlace = { readonly place: PassageRef; readonly order: readonly number[] }

/**
 * The licence that the version states. A missing licence, and a claim that the text is one's own, count as unknown.
 */
export function licenseOf(header: Pick<VersionHeader, 'license'>): string {
  return header.license === '' || classifyLicense(header.license) === 'own' ? 'unknown' : header.license
}

/** Whether the operator allows the licence of this version. */
export function isAllowed(header: VersionHeader, allowed: readonly RestrictedLicense[]): boolean {
  return mayImport(licenseOf(header), allowed)
}

const sampleLength = 4_000

/** Makes a version from segments; undefined when none of them has text. */
export function makeVersion(
  work: WorkFacts,
  header: VersionHeader,
  segments: readonly PlacedSegment[],
): ReadVersion | undefined {
  const texts = new Map<string, string>()
  const notes = new Map<string, readonly string[]>()
  const places: OrderedPlace[] = []
  let sample = ''
  for (const { place, html, order } of segments) {
    const segment = readSegment(html)
    if (segment.text === '' || texts.has(place.ref)) continue
    places.push({ place, order })
    texts.set(place.ref, segment.text)
    if (segment.notes.length > 0) notes.set(place.ref, segment.notes)
    if (sample.length < sampleLength) sample += `${segment.text.slice(0, 500)} `
  }
  if (texts.size === 0) return undefined
  const { language, warning } = detectLanguage(header, sample)
  return {
    work,
    version: {
      language,
      title: header.versionTitle || 'Untitled version',
      license: licenseOf(header),
      sourceUrl: `https://www.sefaria.org/${urlRef(work.title)}`,
      machineMade: isMachineMade(header.versionTitle, header.versionNotes),
      texts,
      notes,
    },
    places,
    warnings: warning === undefined ? [] : [warning],
  }
}

/** Merges the places of all versions of a work in reading order, without duplicates. */
export function mergePassageRefs(versions: readonly ReadVersion[]): readonly PassageRef[] {
  const [only] = versions
  if (only && versions.length === 1) return only.places.map(({ place }) => place)
  const byRef = new Map<string, OrderedPlace>()
  for (const { places } of versions) {
    for (const entry of places) {
      const known = byRef.get(entry.place.ref)
      if (!known || (known.place.heRef === '' && entry.place.heRef !== '')) byRef.set(entry.place.ref, entry)
    }
  }
  return [...byRef.values()].sort((a, b) => compareOrders(a.order, b.order)).map(({ place }) => place)
}

export function compareOrders(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
