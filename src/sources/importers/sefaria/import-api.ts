import type { Database } from '../../../db/client.ts'
import { ServiceError } from '../../../errors.ts'
import { licenseRefusal, type RestrictedLicense } from '../../library/licenses.ts'
import type { WorkFacts } from '../../library/writing/library.ts'
import { importEach, type ReadWork } from '../import-works.ts'
import type { ApiSection, AvailableVersion, SefariaApi } from './api.ts'
import { titlesOf, type WorkSchema } from './format/schema.ts'
import { segmentsOf } from './format/section-segments.ts'
import { isAllowed, licenseOf, makeVersion, type ReadVersion, type VersionHeader } from './format/version.ts'
import type { PlacedSegment } from './format/walk.ts'
import type { Progress } from './import-export.ts'
import { ReportBuilder, type SefariaReport } from './report.ts'
import { readWork } from './store.ts'
import { withRestOfWork } from './stored-rest.ts'

export type ApiImportOptions = {
  readonly titles: readonly string[]
  readonly allowLicenses: readonly RestrictedLicense[]
  readonly onProgress?: (progress: Progress) => void
  readonly signal?: AbortSignal
}

/**
 * Imports works, or parts of works, from Sefaria's API, in all versions with an allowed licence. Each work is
 * committed separately.
 */
export async function importFromApi(
  database: Database,
  api: SefariaApi,
  options: ApiImportOptions,
): Promise<SefariaReport> {
  const report = new ReportBuilder()
  let done = 0
  const onTitle = (title: string): void => {
    const { segments, words } = report.counts
    const total = options.titles.length
    options.onProgress?.({ done, total, title, segments, words, seconds: report.seconds })
  }
  const readOne = async (title: string): Promise<readonly ReadWork[]> => {
    try {
      const gathered = await report.timed('reading', () => gatherWork(api, title, options, report, onTitle))
      if (options.signal?.aborted) return []
      const { schema, work } = gathered
      return readWork(await report.timed('parsing', () => readVersions(gathered, title, report)), report, {
        ...titlesOf(schema, work?.title ?? title),
        complete: (tx, some) => Promise.all(some.map((one) => withRestOfWork(tx, one, gathered))),
      })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      report.note('failed', title, error.message)
      return []
    }
  }
  async function* read(): AsyncGenerator<ReadWork> {
    for (const title of options.titles) {
      if (options.signal?.aborted) return
      yield* await readOne(title)
      done += 1
      onTitle(title)
    }
  }
  await importEach(database, read(), (stage, work) => report.timed(stage, work))
  return report.finish(options.signal?.aborted === true)
}

type Gathered = {
  readonly work: WorkFacts | undefined
  readonly schema: WorkSchema | undefined
  /** The parts that were read, if they are not the whole work. */
  readonly parts: readonly string[]
  /** Sections that could not be read, with their index in the reading order. */
  readonly missing: ReadonlyMap<string, number>
  /** Segments by version. */
  readonly versions: ReadonlyMap<
    string,
    { readonly header: VersionHeader; readonly segments: readonly PlacedSegment[] }
  >
}

/** After this number of consecutive unreadable sections, the API counts as broken and the work is skipped. */
const maxMissingInRow = 3

/**
 * Reads all sections of a work: from the start of each part, along `next`. An unreadable section is reported, and
 * reading continues after it.
 * @throws ServiceError when no section can be read, or several consecutive ones cannot.
 */
async function gatherWork(
  api: SefariaApi,
  title: string,
  options: ApiImportOptions,
  report: ReportBuilder,
  onTitle: (title: string) => void,
): Promise<Gathered> {
  const parts = await api.parts(title)
  const starts = parts ?? [title]
  if (parts === undefined) requireNoRange(title)
  // The first request only lists the available versions.
  const opening = await api.section(starts[0] ?? title, [])
  const isSection = parts === undefined && namesSection(title, opening)
  const wanted = allowedVersions(opening, options.allowLicenses, title, report)
  if (wanted.length === 0)
    return { work: undefined, schema: undefined, parts: [], missing: new Map(), versions: new Map() }
  const walk = new Walk(parts, options.allowLicenses)
  const read = async (ref: string) => {
    const next = await walk.visit(ref, () => api.section(ref, wanted))
    onTitle(ref)
    return isSection || options.signal?.aborted ? undefined : next
  }
  for (const start of starts) {
    let next = walk.hasPart(start) || options.signal?.aborted ? undefined : start
    while (next !== undefined) next = await read(next)
  }
  const record = walk.first && (await api.record(walk.first.indexTitle))
  return {
    work: walk.first && workOf(walk.first, record?.author ?? '', record?.schema?.composed),
    schema: record?.schema,
    parts: isSection ? [opening.ref] : walk.partsOf(title),
    missing: walk.finish(title, report),
    versions: walk.versions,
  }
}

/** @throws ServiceError `invalid_value` for a range, whose text the API sends in another shape. */
function requireNoRange(requested: string): void {
  if (!/\d[a-d]?\s*[-–]\s*\d+[a-d]?$/.test(requested.trim())) return
  throw new ServiceError('invalid_value', `"${requested}" is a range. Name each chapter.`)
}

/**
 * Whether a request names one section or passage, not a work or a part of one. The API answers a title with its first
 * section, so only the request itself shows the difference.
 */
function namesSection(requested: string, { book }: ApiSection): boolean {
  if (requested === book) return false
  return /[\s.:_](?:\d+[a-d]?|[א-ת]*[׳״'"][א-ת]?)$/u.test(requested.trim())
}

/** The section with the next number, or the next side of a leaf. Undefined for a ref without a number. */
function followingRef(ref: string): string | undefined {
  const [, above, number, side] = /^(.*[ :])(\d+)([ab]?)$/.exec(ref) ?? []
  if (above === undefined || number === undefined) return undefined
  return side === 'a' ? `${above}${number}b` : `${above}${Number(number) + 1}${side === 'b' ? 'a' : ''}`
}

function allowedVersions(
  section: ApiSection,
  allowed: readonly RestrictedLicense[],
  title: string,
  report: ReportBuilder,
): readonly AvailableVersion[] {
  const available = section.available_versions.length > 0 ? section.available_versions : section.versions
  return available.filter((version) => {
    const isIn = isAllowed(version, allowed)
    if (!isIn) {
      const why = licenseRefusal(licenseOf(version))
      report.note('skipped', `${title}: ${version.versionTitle}`, why)
    }
    return isIn
  })
}

function workOf(section: ApiSection, author: string, composed: WorkFacts['composed']): WorkFacts {
  return {
    title: section.indexTitle,
    heTitle: section.heIndexTitle,
    author,
    categories: section.categories,
    composed,
  }
}

function readVersions(
  { work, versions }: Gathered,
  title: string,
  report: ReportBuilder,
): readonly ReadVersion[] {
  if (!work) return []
  return [...versions.values()].flatMap(({ header, segments }) => {
    const read = makeVersion(work, header, segments)
    if (!read) report.note('skipped', `${title}: ${header.versionTitle}`, 'it holds no text')
    for (const warning of read?.warnings ?? [])
      report.note('remarks', `${title}: ${header.versionTitle}`, warning)
    return read ? [read] : []
  })
}

/** The sections of a work that were read so far. */
class Walk {
  readonly versions = new Map<string, { header: VersionHeader; segments: PlacedSegment[] }>()
  readonly #parts: ReadonlySet<string> | undefined
  readonly #allowed: readonly RestrictedLicense[]
  readonly #seen = new Set<string>()
  readonly #seenParts = new Set<string>()
  readonly #missing = new Map<string, { readonly number: number; readonly why: string }>()
  #missingInRow = 0
  /** The ref after an unreadable section, by its number. */
  #guess: string | undefined
  #steps = 0
  first: ApiSection | undefined

  constructor(parts: readonly string[] | undefined, allowed: readonly RestrictedLicense[]) {
    this.#parts = parts && new Set(parts)
    this.#allowed = allowed
  }

  /** The parts that a request for `title` has read; empty if it names the whole work. */
  partsOf(title: string): readonly string[] {
    const isWork = this.first === undefined || title === this.first.indexTitle
    return isWork ? [] : [...new Set([...(this.#parts ?? []), ...this.#seenParts])]
  }

  hasPart(title: string): boolean {
    return this.#seenParts.has(title)
  }

  /**
   * Reads a section and returns the ref of the next one, if reading continues. After an unreadable section, which would
   * have named it, this is a guess.
   * @throws ServiceError when the work should be skipped.
   */
  async visit(ref: string, read: () => Promise<ApiSection>): Promise<string | undefined> {
    const wasGuessed = ref === this.#guess
    try {
      return this.#add(await read())
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (wasGuessed && error.code === 'not_found') return undefined
      this.#miss(ref, error)
      if (this.first === undefined || this.#missingInRow >= maxMissingInRow) throw error
      this.#guess = followingRef(ref)
      return this.#guess
    }
  }

  #add(section: ApiSection): string | undefined {
    if (this.#seen.has(section.ref) || this.#isForeign(section)) return undefined
    this.first ??= section
    this.#steps += 1
    this.#missingInRow = 0
    this.#seen.add(section.ref)
    this.#seenParts.add(section.book)
    for (const { text, ...header } of section.versions) {
      if (!isAllowed(header, this.#allowed)) continue
      const key = JSON.stringify([header.language, header.versionTitle])
      const version = this.versions.get(key) ?? { header, segments: [] }
      version.segments.push(...segmentsOf(section, text, this.#steps))
      this.versions.set(key, version)
    }
    return section.next ?? undefined
  }

  #miss(ref: string, { message: why }: ServiceError): void {
    this.#steps += 1
    this.#missingInRow += 1
    this.#missing.set(ref, { number: this.#steps, why })
  }

  /** Reports the unreadable sections and returns them with their index in the reading order. */
  finish(title: string, report: ReportBuilder): ReadonlyMap<string, number> {
    for (const [ref, { why }] of this.#missing) report.note('failed', `${title}: ${ref}`, why)
    return new Map([...this.#missing].map(([ref, { number }]) => [ref, number]))
  }

  /** Whether a section is outside the requested parts. `next` can lead into other parts of the work. */
  #isForeign(section: ApiSection): boolean {
    if (!this.first) return false
    if (section.indexTitle !== this.first.indexTitle) return true
    // If the first section is in none of the parts, the API uses other names for them.
    return this.#parts?.has(this.first.book) === true && !this.#parts.has(section.book)
  }
}
