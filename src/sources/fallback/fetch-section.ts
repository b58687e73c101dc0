import { ServiceError } from '../../errors.ts'
import type { ApiSection, AvailableVersion, SefariaApi } from '../importers/sefaria/api.ts'
import { ReplyTooLarge } from '../importers/sefaria/download.ts'
import type { WorkSchema } from '../importers/sefaria/format/schema.ts'
import { segmentsOf } from '../importers/sefaria/format/section-segments.ts'
import { isAllowed, licenseOf } from '../importers/sefaria/format/version.ts'
import { urlRef } from '../library/address.ts'
import type { RestrictedLicense } from '../library/licenses.ts'
import type { AtPublisher } from '../library/publisher.ts'

/** A section with the versions to store: at most one per language. */
export type FetchedSection = {
  readonly section: ApiSection
  readonly author: string
  readonly schema: WorkSchema | undefined
}

/**
 * `section`: may be stored. `linked`: exists, but no version has an allowed licence, or it is too long. `known`: the
 * library has the publisher's spelling of the ref.
 */
export type Fetched =
  | { readonly kind: 'section'; readonly fetched: FetchedSection; readonly at: AtPublisher }
  | { readonly kind: 'linked'; readonly at: AtPublisher; readonly why: 'licence' | 'too_large' }
  | { readonly kind: 'known'; readonly ref: string }
  | undefined

export type FetchOptions = {
  readonly licenses: readonly RestrictedLicense[]
  /** Maximum number of passages of a version. */
  readonly maxPassages: number
  readonly isHeld: (ref: string) => Promise<boolean>
}

/**
 * Asks the publisher for the chapter that contains a ref, or for a lower section if the chapter is too long: two to
 * four requests, and one for the record of the work.
 * @param refs tried in order until the publisher knows one.
 * @returns undefined when the publisher has no text there.
 * @throws ServiceError `upstream_error` when the publisher fails.
 */
export async function fetchSection(
  api: SefariaApi,
  refs: readonly string[],
  { licenses, maxPassages, isHeld }: FetchOptions,
): Promise<Fetched> {
  const opening = await openingOf(api, refs)
  if (!opening) return undefined
  if (await isHeld(opening.ref)) return { kind: 'known', ref: opening.ref }
  const allowed = allowedVersions(opening, licenses)
  const at = addressOf(opening, allowed)
  const refused: Fetched = opening.versions.some(hasText) ? { kind: 'linked', at, why: 'licence' } : undefined
  if (allowed.length === 0) return refused
  const recorded = api.record(opening.indexTitle)
  for (const ref of new Set([chapterOf(opening), opening.sectionRef || opening.ref])) {
    const whole = await withinBytes(api.section(ref, allowed))
    const versions = whole ? onePerLanguage(whole, allowed) : []
    if (whole && versions.length === 0) return refused
    const section = whole && { ...whole, versions }
    const isShort = versions.every(
      ({ text }) => section && segmentsOf(section, text, 1).length <= maxPassages,
    )
    if (section && isShort) return { kind: 'section', fetched: { section, ...(await recorded) }, at }
  }
  return { kind: 'linked', at, why: 'too_large' }
}

/**
 * The ref with its first number: the chapter. A lower section alone would make the chapter's own ref resolve to a part
 * of it. A text with one level of numbers has no chapters.
 */
function chapterOf({ ref, sectionRef, textDepth }: ApiSection): string {
  if (textDepth <= 1) return sectionRef || ref
  return /^(.* \d+[a-d]?)(?::\d+[a-d]?)+$/.exec(ref)?.[1] ?? ref
}

/** @returns undefined when the reply has too many bytes. */
async function withinBytes(section: Promise<ApiSection>): Promise<ApiSection | undefined> {
  try {
    return await section
  } catch (error) {
    if (error instanceof ReplyTooLarge) return undefined
    throw error
  }
}

/** The publisher's answer about the first ref that it knows, in its preferred versions. */
async function openingOf(api: SefariaApi, refs: readonly string[]): Promise<ApiSection | undefined> {
  for (const ref of refs) {
    try {
      return await api.section(ref, [])
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'not_found')) throw error
    }
  }
  return undefined
}

type Version = Pick<AvailableVersion, 'language' | 'versionTitle'>

const keyOf = ({ language, versionTitle }: Version): string => JSON.stringify([language, versionTitle])

const languages = ['he', 'en'] as const

/** Versions per language that are asked for. The second one is a substitute if the first has no text there. */
const maxAsked = 2

/** The Hebrew and English versions with an allowed licence, the publisher's preferred ones first. */
function allowedVersions(
  opening: ApiSection,
  licenses: readonly RestrictedLicense[],
): readonly AvailableVersion[] {
  const preferred = new Set(opening.versions.map(keyOf))
  const rank = (version: AvailableVersion): number => (preferred.has(keyOf(version)) ? 0 : 1)
  return languages.flatMap((language) =>
    availableOf(opening)
      .filter((version) => version.language === language && ['', language].includes(version.actualLanguage))
      .filter((version) => isAllowed(version, licenses))
      .toSorted((a, b) => rank(a) - rank(b))
      .slice(0, maxAsked),
  )
}

function availableOf({ available_versions: available, versions }: ApiSection): readonly AvailableVersion[] {
  return available.length > 0 ? available : versions
}

function onePerLanguage(section: ApiSection, allowed: readonly AvailableVersion[]): ApiSection['versions'] {
  const rank = new Map(allowed.map((version, i) => [keyOf(version), i]))
  const wanted = section.versions
    .filter((version) => rank.has(keyOf(version)) && hasText(version))
    .toSorted((a, b) => (rank.get(keyOf(a)) ?? 0) - (rank.get(keyOf(b)) ?? 0))
  return languages.flatMap((language) => wanted.find((version) => version.language === language) ?? [])
}

function hasText({ text }: { readonly text?: unknown }): boolean {
  return Array.isArray(text)
    ? text.some((entry) => hasText({ text: entry }))
    : typeof text === 'string' && text.trim() !== ''
}

function addressOf(opening: ApiSection, allowed: readonly AvailableVersion[]): AtPublisher {
  const stated = allowed.length > 0 ? allowed : opening.versions.filter(hasText)
  return {
    ref: opening.ref,
    url: `https://www.sefaria.org/${urlRef(opening.ref)}`,
    license: [...new Set(stated.map(licenseOf))].join(', '),
  }
}
