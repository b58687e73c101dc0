import type { Executor } from '../../db/client.ts'
import { loadRange, maxRangePassages } from '../../sources/library/load-passages.ts'
import type { PassageRow } from '../../sources/library/passage-row.ts'
import { sourceUrlOf } from '../../sources/library/source-url.ts'
import { nearestRefs } from '../../sources/refs/nearest-refs.ts'
import { resolveRef } from '../../sources/refs/ref-lookup.ts'
import {
  labelOf,
  printable,
  type SheetLanguage,
  type SheetSource,
  type SheetVersion,
  spanOf,
} from './sheet.ts'

/** One source of a sheet, as its author specifies it. */
export type SheetItem = {
  readonly ref: string
  readonly heading: string
  readonly note: string
  readonly languages: SheetLanguage | 'both'
}

/** Why an item cannot be in a sheet. */
export type ItemProblem = {
  readonly ref: string
  readonly problem: string
  /** Existing refs that are near. */
  readonly nearest?: readonly string[]
}

/** Reads the passages of an item. If both languages are wanted, one is enough. */
export async function gatherSource(executor: Executor, item: SheetItem): Promise<SheetSource | ItemProblem> {
  const { ref } = item
  const place = await resolveRef(executor, ref)
  if (!place) {
    return { ref, problem: 'The library has no such ref.', nearest: await nearestRefs(executor, ref) }
  }
  if (place.last - place.first >= maxRangePassages) {
    return { ref, problem: `It names more than ${maxRangePassages} passages: name a smaller range.` }
  }
  const rows = (await loadRange(executor, place)).filter(({ text }) => printable(text) !== '')
  const wanted: readonly SheetLanguage[] = item.languages === 'both' ? ['he', 'en'] : [item.languages]
  const shown = wanted.flatMap((language) => fullestVersion(rows, language))
  if (shown.length > 0) return sourceOf(item, shown)
  const others = [...new Set(rows.map(({ language }) => language))]
  return { ref, problem: `The library has it in these languages only: ${others.join(', ') || 'none'}.` }
}

/** Of the versions in a language, returns the one with most of the passages. Ties: first by title. */
function fullestVersion(rows: readonly PassageRow[], language: SheetLanguage): [Shown] | [] {
  const versions = Map.groupBy(
    rows.filter((row) => row.language === language),
    ({ version }) => version,
  )
  const [fullest] = [...versions.values()].sort((a, b) => b.length - a.length)
  const [first] = fullest ?? []
  return fullest && first ? [{ language, rows: fullest, version: versionOf(language, first) }] : []
}

type Shown = {
  readonly language: SheetLanguage
  readonly rows: readonly PassageRow[]
  readonly version: SheetVersion
}

function versionOf(language: SheetLanguage, row: PassageRow): SheetVersion {
  const { work, version, license } = row
  return {
    language,
    work: printable(work),
    title: printable(version),
    license: printable(license),
    url: webAddress(sourceUrlOf(row)),
  }
}

/**
 * Returns the URL if it is a web address. Imports may give an origin in any form, and only web addresses become
 * links.
 */
function webAddress(url: string): string {
  const parsed = URL.parse(url)
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.href : ''
}

function sourceOf(item: SheetItem, shown: readonly Shown[]): SheetSource {
  const places = new Map(shown.flatMap(({ rows }) => rows.map((row) => [row.ordinal, row] as const)))
  const inOrder = [...places.values()].sort((a, b) => a.ordinal - b.ordinal)
  const texts = new Map(
    shown.map(({ language, rows }) => [language, new Map(rows.map(({ ordinal, text }) => [ordinal, text]))]),
  )
  const textAt = (language: SheetLanguage, ordinal: number) =>
    printable(texts.get(language)?.get(ordinal) ?? '')
  const label = (ref: string) => (inOrder.length > 1 ? labelOf(ref) : '')
  return {
    heading: item.heading,
    note: item.note,
    ref: printable(spanOf(inOrder[0]?.ref ?? '', inOrder.at(-1)?.ref ?? '')),
    heRef: printable(spanOf(inOrder[0]?.he_ref ?? '', inOrder.at(-1)?.he_ref ?? '')),
    rows: inOrder.map(({ ordinal, ref, he_ref }) => ({
      label: { en: label(ref), he: label(he_ref) },
      texts: { he: textAt('he', ordinal), en: textAt('en', ordinal) },
    })),
    versions: shown.map(({ version }) => version),
  }
}
