import type { Database } from '../../db/client.ts'
import { ServiceError } from '../../errors.ts'
import { licenseRefusal, mayImport, type RestrictedLicense } from '../library/licenses.ts'
import type { Stored } from '../library/writing/library.ts'
import { importAll } from './import-works.ts'
import type { LikelyHeading } from './likely-headings.ts'
import { cutParagraph, type Paragraph } from './markdown-passages.ts'
import type { OwnText } from './read-markdown.ts'
import { storedDivision } from './split-passages.ts'

export type TextReport = {
  readonly work: string
  readonly works: number
  readonly versions: number
  readonly segments: number
  readonly unchanged: number
  readonly language: string
  readonly version: string
  readonly license: string
  /** Number of headings that have paragraphs. */
  readonly headings: number
  /** Number of paragraphs that were cut into pieces, and of footnotes. */
  readonly cut: number
  readonly notes: number
  /** Refs of the first and the last passage. */
  readonly first: string
  readonly last: string
  /** Lines that look like headings and are paragraphs. */
  readonly likelyHeadings: readonly LikelyHeading[]
}

export type TextOptions = {
  /** Restricted licence classes that the operator accepts, in addition to open licences and own texts. */
  readonly allowLicenses: readonly RestrictedLicense[]
  /** Whether the version may lose passages that the text lacks; otherwise such a text is refused. */
  readonly replace?: boolean
}

/**
 * Imports a text of headings and paragraphs. Headings become parts of the refs; the paragraphs below each heading are numbered
 * from 1: `My Notes, On Joy, First Part 3`. Long paragraphs are cut into pieces, ` §1`, ` §2`. A second import replaces
 * the version if its text has changed.
 * @throws ServiceError `invalid_value` when its licence is not allowed, or when passages would be lost.
 */
export async function importText(
  database: Database,
  text: OwnText,
  { allowLicenses, replace = false }: TextOptions,
): Promise<TextReport> {
  if (!mayImport(text.license, allowLicenses)) {
    throw new ServiceError('invalid_value', `Nothing was imported: ${licenseRefusal(text.license)}.`)
  }
  const { work, language, version, license, sourceUrl } = text
  let passages: readonly Paragraph[] = []
  let outcome: Stored | undefined
  await importAll(database, [
    {
      async content(tx) {
        const division = await storedDivision(tx, work.title, [{ language, title: version }])
        passages = text.paragraphs.flatMap((paragraph) => cutParagraph(paragraph, division))
        const texts = new Map(passages.map((passage) => [passage.place.ref, passage.text]))
        const noted = passages.filter(({ notes }) => notes.length > 0)
        const notes = new Map(noted.map((passage) => [passage.place.ref, passage.notes]))
        const facts = { language, title: version, license, sourceUrl, machineMade: false }
        const places = passages.map(({ place }) => place)
        return { work, places, versions: [{ ...facts, texts, notes }], keepsPassages: !replace }
      },
      stored(_, stored) {
        outcome = stored
      },
    },
  ])
  const isNew = (outcome?.versions ?? 0) > 0
  return {
    work: work.title,
    works: isNew ? 1 : 0,
    versions: outcome?.versions ?? 0,
    segments: outcome?.passages ?? 0,
    unchanged: isNew ? 0 : 1,
    ...contentOf(text, passages),
  }
}

/** What the text consists of, as far as its owner can see from it whether it was read as meant. */
function contentOf(
  { work, likelyHeadings, paragraphs, language, version, license }: OwnText,
  passages: readonly Paragraph[],
) {
  const sections = new Set(paragraphs.map(({ place }) => place.sectionRef))
  return {
    language,
    version,
    license,
    headings: sections.size - (sections.has(work.title) ? 1 : 0),
    cut: passages.filter(({ place }) => place.ref.endsWith(' §1')).length,
    notes: passages.reduce((sum, { notes }) => sum + notes.length, 0),
    first: passages[0]?.place.ref ?? '',
    last: passages.at(-1)?.place.ref ?? '',
    likelyHeadings,
  }
}
