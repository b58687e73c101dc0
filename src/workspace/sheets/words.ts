import { classifyLicense } from '../../sources/library/licenses.ts'
import { type Direction, directionOf, type Sheet, type SheetVersion } from './sheet.ts'

/** Labels of a sheet, in its language. */
export type Words = {
  readonly note: string
  readonly versions: string
  readonly sources: string
  readonly license: string
  readonly ownLicense: string
  readonly colophon: string
  /** Stands in the place of a passage that the library no longer has. */
  readonly missing: (ref: string) => string
  readonly languages: Readonly<Record<SheetVersion['language'], string>>
}

const english: Words = {
  note: 'Note',
  versions: 'Versions and licences',
  sources: 'sources',
  license: 'Licence',
  ownLicense: 'own text of this library, no public licence',
  colophon:
    'Title, introduction, headings and notes are the words of this sheet’s author. The texts stand as the library has them.',
  missing: (ref) => `${ref}: this passage is no longer in the library.`,
  languages: { he: 'Hebrew', en: 'English' },
}

const hebrew: Words = {
  note: 'הערה',
  versions: 'נוסחים ורישיונות',
  sources: 'מקורות',
  license: 'רישיון',
  ownLicense: 'טקסט של הספרייה, ללא רישיון ציבורי',
  colophon: 'הכותרות, ההקדמה וההערות הן דברי עורך הדף. המקורות מובאים כלשונם בספרייה.',
  missing: (ref) => `הקטע ${ref} אינו עוד בספרייה.`,
  languages: { he: 'עברית', en: 'אנגלית' },
}

/** Direction of a sheet: that of its title. */
export function directionOfSheet(sheet: Sheet): Direction {
  return directionOf(sheet.title)
}

export function wordsOf(sheet: Sheet): Words {
  return wordsFor(directionOfSheet(sheet))
}

export function wordsFor(direction: Direction): Words {
  return direction === 'rtl' ? hebrew : english
}

/** The line under a text: `Torat Emet 357 · CC BY-SA 4.0`. */
export function versionLine(version: SheetVersion, words: Words): string {
  return [version.title, licenseText(version, words)].filter((part) => part !== '').join(' · ')
}

export function licenseText({ license }: SheetVersion, words: Words): string {
  return classifyLicense(license) === 'own' ? words.ownLicense : license
}

/** The work and language of a version: `Work, English`. */
export function versionName(version: SheetVersion, words: Words): string {
  return `${version.work}, ${words.languages[version.language]}`
}
