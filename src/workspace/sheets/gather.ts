import type { Executor } from '../../db/client.ts'
import { hebrewTitles } from '../../sources/library/catalogue.ts'
import { loadRange, maxRangePassages } from '../../sources/library/load-passages.ts'
import type { PassageRow } from '../../sources/library/passage-row.ts'
import { sourceUrlOf } from '../../sources/library/source-url.ts'
import { spanOf } from '../../sources/refs/grammar/ref-parts.ts'
import { nearestRefs } from '../../sources/refs/nearest-refs.ts'
import { resolveRef } from '../../sources/refs/ref-lookup.ts'
import { labelOf, printable, type SheetLanguage, type SheetSource, type SheetVersion } from './sheet.ts'

/** One source of a sheet, as its author specifies it. */
export type SheetItem = {
  readonly ref: string
  readonly heading: string
  readonly note: string
  readonly languages: SheetLanguage | 'both'
  /** Titles of the versions to show. Without one, or if the library lacks it: the version with most of the passages. */
  readonly versions?: Readonly<Partial<Record<SheetLanguage, string>>>
}

/** Why an item cannot be in a sheet. */
export type ItemProblem = {
  readonly ref: string
  /** `unknown`: there is no such ref. `large`: it has too many passages. `language`: no text in the language. */
  readonly kind: 'unknown' | 'large' | 'language'
  readonly problem: string
  /** Existing refs that are near. */
  readonly nearest?: readonly string[]
}

/** Reads the passages of an item. If both languages are wanted, one is enough. */
export async function gatherSource(executor: Executor, item: SheetItem): Promise<SheetSource | ItemProblem> {
  const found = await gatherWithVersions(executor, item)
  return 'problem' in found ? found : found.source
}

/** A source, and the titles of all versions that the library has of it, those with most of the passages first. */
export type GatheredSource = {
  readonly source: SheetSource
  readonly offered: Readonly<Record<SheetLanguage, readonly string[]>>
}

/** Like `gatherSource`, for callers that offer other versions. */
export async function gatherWithVersions(
  executor: Executor,
  item: SheetItem,
): Promise<GatheredSource | ItemProblem> {
  const { ref } = item
  const place = await resolveRef(executor, ref)
  if (!place) {
    const nearest = await nearestRefs(executor, ref)
    return { ref, kind: 'unknown', problem: 'The library has no such ref.', nearest }
  }
  if (place.last - place.first >= maxRangePassages) {
    const problem = `It names more than ${maxRangePassages} passages: name a smaller range.`
    return { ref, kind: 'large', problem }
  }
  const rows = (await loadRange(executor, place)).filter(({ text }) => printable(text) !== '')
  const [row] = rows
  const heWork = row ? ((await hebrewTitles(executor, [row.work])).get(row.work) ?? '') : ''
  const versions = { he: versionsBySize(rows, 'he', heWork), en: versionsBySize(rows, 'en', heWork) }
  const wanted: readonly SheetLanguage[] = item.languages === 'both' ? ['he', 'en'] : [item.languages]
  const shown = wanted.flatMap((language) => {
    const [fullest] = versions[language]
    return (
      versions[language].find(({ version }) => version.title === item.versions?.[language]) ?? fullest ?? []
    )
  })
  if (shown.length > 0) {
    const titles = (language: SheetLanguage) => versions[language].map(({ version }) => version.title)
    return { source: sourceOf(item, shown), offered: { he: titles('he'), en: titles('en') } }
  }
  const others = [...new Set(rows.map(({ language }) => language))]
  const problem = `The library has it in these languages only: ${others.join(', ') || 'none'}.`
  return { ref, kind: 'language', problem }
}

/** The versions in a language, the one with most of the passages first. Ties: by title. */
function versionsBySize(
  rows: readonly PassageRow[],
  language: SheetLanguage,
  heWork: string,
): readonly Shown[] {
  const versions = Map.groupBy(
    rows.filter((row) => row.language === language),
    ({ version }) => version,
  )
  return [...versions.values()]
    .sort((a, b) => b.length - a.length)
    .flatMap((own) => (own[0] ? [{ language, rows: own, version: versionOf(language, own[0], heWork) }] : []))
}

type Shown = {
  readonly language: SheetLanguage
  readonly rows: readonly PassageRow[]
  readonly version: SheetVersion
}

function versionOf(language: SheetLanguage, row: PassageRow, heWork: string): SheetVersion {
  const { work, version, license } = row
  return {
    language,
    work: printable(work),
    heWork: printable(heWork),
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
