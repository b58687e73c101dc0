import type { PassageRef } from '../index/passage-ref.ts'
import type { WorkImport } from '../library/writing/library.ts'
import type { VersionText } from '../library/writing/version-text.ts'
import { sectionOf } from '../refs/grammar/refs.ts'
import { badLine, type JsonlLine } from './jsonl-line.ts'
import { cutAlike, type Division } from './split-passages.ts'

const languages = [
  { language: 'he', version: 'version_he', untitled: 'Hebrew text' },
  { language: 'en', version: 'version_en', untitled: 'English text' },
] as const

type Language = (typeof languages)[number]['language']

type GrowingVersion = Omit<VersionText, 'sourceUrl'> & {
  readonly texts: Map<string, string>
  readonly notes: Map<string, readonly string[]>
  readonly urls: Map<string, string>
}

/** Collects the lines of one work and turns them into an import. */
export class JsonlWork {
  readonly title: string
  readonly #lines = new Map<string, { readonly line: JsonlLine; readonly number: number }>()
  readonly #versions = new Map<string, GrowingVersion>()
  readonly #places = new Map<string, PassageRef>()

  constructor(title: string) {
    this.title = title
  }

  /**
   * @throws ServiceError `invalid_value` when the ref occurred before, or the version occurred with another licence.
   */
  add(line: JsonlLine, number: number): void {
    const before = this.#lines.get(line.ref)
    if (before) throw badLine(number, `field "ref": "${line.ref}" stands in line ${before.number} already`)
    this.#lines.set(line.ref, { line, number })
    for (const { language } of languages)
      if (line[language].text !== '') this.#version(line, language, number)
  }

  /** Language and title of each version. */
  get versions(): readonly { readonly language: string; readonly title: string }[] {
    return [...this.#versions.values()].map(({ language, title }) => ({ language, title }))
  }

  /**
   * Cuts the lines into passages. Hebrew and English of a line get the same number of pieces, and so does a new
   * edition of a stored text. So pieces of equal number contain the same part of the text.
   * @throws ServiceError `invalid_value` when a ref equals that of a piece of another line.
   */
  finish(division: Division): WorkImport {
    for (const { line, number } of this.#lines.values()) this.#cut(line, number, division.get(line.ref))
    const lines = [...this.#lines.values()].map(({ line }) => line)
    const first = <K extends 'author' | 'he_title'>(field: K): string =>
      lines.find((line) => line[field] !== '')?.[field] ?? ''
    const categories = lines.map((line) => [line.category].flat().filter((c) => c.trim() !== ''))
    return {
      work: {
        title: this.title,
        heTitle: first('he_title'),
        author: first('author'),
        categories: categories.find((c) => c.length > 0) ?? [],
        composed: lines.find((line) => line.composed)?.composed,
      },
      places: [...this.#places.values()],
      versions: [...this.#versions.values()].map(withCommonUrl),
    }
  }

  #cut(line: JsonlLine, number: number, known: number | undefined): void {
    const written = languages.filter(({ language }) => line[language].text !== '')
    const texts = written.map(({ language }) => line[language].text)
    const { places, pieces } = cutAlike(
      { ref: line.ref, heRef: line.he_ref },
      texts,
      known || undefined,
      sectionOf,
    )
    const isWhole = places[0]?.ref === line.ref
    for (const place of places) {
      if (this.#places.has(place.ref) || (!isWhole && this.#lines.has(place.ref)))
        throw badLine(
          number,
          `field "ref": its text is cut into pieces, and "${place.ref}" stands in another line`,
        )
      this.#places.set(place.ref, place)
    }
    written.forEach(({ language }, at) => {
      const version = this.#version(line, language, number)
      const own = pieces[at] ?? []
      own.forEach((text, i) => {
        const ref = places[i]?.ref ?? line.ref
        version.texts.set(ref, text)
        version.urls.set(ref, line.source_url)
      })
      // The position of a note within the text is unknown, so notes stand after the last piece.
      const last = places[own.length - 1]?.ref ?? line.ref
      if (line[language].notes.length > 0) version.notes.set(last, line[language].notes)
    })
  }

  #version(line: JsonlLine, language: Language, number: number): GrowingVersion {
    const names = languages.find((l) => l.language === language) ?? languages[0]
    const title = line[names.version] || names.untitled
    const key = JSON.stringify([language, title])
    const version = this.#versions.get(key) ?? {
      language,
      title,
      license: line.license,
      machineMade: false,
      texts: new Map<string, string>(),
      notes: new Map<string, readonly string[]>(),
      urls: new Map<string, string>(),
    }
    if (version.license !== line.license) {
      throw badLine(number, `field "license": the version "${title}" had "${version.license}" before`)
    }
    this.#versions.set(key, version)
    return version
  }
}

/** Stores a URL that all texts share with the version. Other URLs stay with their texts. */
function withCommonUrl(version: GrowingVersion): VersionText {
  const addresses = new Set(version.urls.values())
  const [common = ''] = addresses
  return addresses.size <= 1
    ? { ...version, sourceUrl: common, urls: new Map() }
    : { ...version, sourceUrl: '' }
}
