import type { PassageRef } from '../index/passage-ref.ts'
import type { WorkImport } from '../library/writing/library.ts'
import type { VersionText } from '../library/writing/version-text.ts'
import { hebrewPieceRef, pieceRef } from '../refs/grammar/pieces.ts'
import { sectionOf } from '../refs/grammar/refs.ts'
import { badLine, type JsonlLine } from './jsonl-line.ts'
import { passageCount, splitPassages } from './split-passages.ts'

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

/** For each ref, the number of pieces that remaining editions already have. */
export type Division = ReadonlyMap<string, number>

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

  get refs(): readonly string[] {
    return [...this.#lines.keys()]
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
    const texts = cutAlike(line, known)
    const count = Math.max(...texts.map(({ pieces }) => pieces.length))
    const isWhole = count === 1 && known === undefined
    const places = Array.from({ length: count }, (_, i) => placeOf(line, isWhole ? undefined : i + 1))
    for (const place of places) {
      if (this.#places.has(place.ref) || (!isWhole && this.#lines.has(place.ref)))
        throw badLine(
          number,
          `field "ref": its text is cut into pieces, and "${place.ref}" stands in another line`,
        )
      this.#places.set(place.ref, place)
    }
    for (const { language, pieces } of texts) {
      const version = this.#version(line, language, number)
      pieces.forEach((text, i) => {
        const ref = places[i]?.ref ?? line.ref
        version.texts.set(ref, text)
        version.urls.set(ref, line.source_url)
      })
      // The position of a note within the text is unknown, so notes stand after the last piece.
      const last = places[pieces.length - 1]?.ref ?? line.ref
      if (line[language].notes.length > 0) version.notes.set(last, line[language].notes)
    }
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

/** Cuts the texts of a line into the same number of pieces in each language, if they have enough sentences. */
function cutAlike(line: JsonlLine, known: number | undefined) {
  const parts = known ?? Math.max(passageCount(line.he.text), passageCount(line.en.text))
  return languages.flatMap(({ language }) => {
    const { text } = line[language]
    return text === '' ? [] : [{ language, pieces: splitPassages(text, parts) }]
  })
}

/** @param piece its number, from 1; undefined for a text that is not cut. */
function placeOf(line: JsonlLine, piece: number | undefined): PassageRef {
  const ref = piece === undefined ? line.ref : pieceRef(line.ref, piece)
  const heRef = piece === undefined ? line.he_ref : hebrewPieceRef(line.he_ref, piece)
  return { ref, heRef, sectionRef: sectionOf(ref) }
}

/** Stores a URL that all texts share with the version. Other URLs stay with their texts. */
function withCommonUrl(version: GrowingVersion): VersionText {
  const addresses = new Set(version.urls.values())
  const [common = ''] = addresses
  return addresses.size <= 1
    ? { ...version, sourceUrl: common, urls: new Map() }
    : { ...version, sourceUrl: '' }
}
