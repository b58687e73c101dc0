import { classifyLicense } from '../../sources/library/licenses.ts'
import { hebrewVersionName } from '../../sources/vocabulary/titles/version-names.ts'
import {
  type Direction,
  directionOf,
  type Sheet,
  type SheetLanguage,
  type SheetSource,
  type SheetVersion,
} from './sheet.ts'

const english = {
  language: 'en' as SheetLanguage,
  /** What the properties of a document call its program. */
  creator: 'Source sheet',
  note: 'Note',
  versions: 'Versions and licences',
  sources: 'sources',
  license: 'Licence',
  ownLicense: 'own text of this library, no public licence',
  colophon:
    'Title, introduction, headings and notes are the words of this sheet’s author. The texts stand as the library has them.',
  /** In place of `colophon` under a conversation. */
  conversationColophon: 'The answers are the text of a model. The texts stand as the library has them.',
  /** Stands in the place of a passage that the library no longer has. */
  missing: (ref: string) => `${ref}: this passage is no longer in the library.`,
  languages: { he: 'Hebrew', en: 'English' },
}

/** Labels of a sheet, in its language. */
export type Words = Readonly<typeof english>

/** A licence by its Hebrew name; the others have none. */
const publicDomain = 'נחלת הכלל'

const hebrew: Words = {
  language: 'he',
  creator: 'דף מקורות',
  note: 'הערה',
  versions: 'נוסחים ורישיונות',
  sources: 'מקורות',
  license: 'רישיון',
  ownLicense: 'טקסט של הספרייה, ללא רישיון ציבורי',
  colophon: 'הכותרות, ההקדמה וההערות הן דברי עורך הדף. המקורות מובאים כלשונם בספרייה.',
  conversationColophon: 'התשובות הן טקסט של מודל. המקורות מובאים כלשונם בספרייה.',
  missing: (ref) => `הקטע ${ref} אינו עוד בספרייה.`,
  languages: { he: 'עברית', en: 'אנגלית' },
}

/** A sheet is Hebrew if its title is, or if it is made for a reader of Hebrew pages. */
function languageOfSheet({ title, language }: Pick<Sheet, 'title' | 'language'>): SheetLanguage {
  return language ?? (directionOf(title) === 'rtl' ? 'he' : 'en')
}

/** The language of a file for a reader whose pages are in this language: Hebrew pages make every sheet Hebrew. */
export function languageForReader(title: string, pages: SheetLanguage): SheetLanguage {
  return pages === 'he' ? 'he' : languageOfSheet({ title })
}

export function directionOfSheet(sheet: Sheet): Direction {
  return languageOfSheet(sheet) === 'he' ? 'rtl' : 'ltr'
}

export function wordsOf(sheet: Pick<Sheet, 'title' | 'language'>): Words {
  return wordsIn(languageOfSheet(sheet))
}

/** Whose words the parts of a sheet are: a conversation has no author. */
export function colophonOf({ exchanges }: Sheet, words: Words): string {
  return exchanges === undefined ? words.colophon : words.conversationColophon
}

export function wordsIn(language: SheetLanguage): Words {
  return language === 'he' ? hebrew : english
}

/** The label of a note: in an English sheet that of its own language. */
export function noteLabel(note: string, words: Words): string {
  return words.language === 'he' || directionOf(note) === 'rtl' ? hebrew.note : words.note
}

/** The heading of a source: the author's, otherwise its ref. */
export function headingOf(source: SheetSource, words: Words): string {
  const { he, en } = refsOf(source, words)
  return source.heading === '' ? (words.language === 'he' && he !== '' ? he : en) : source.heading
}

/** The refs of a source. A Hebrew sheet has the English one only if there is no Hebrew one. */
export function refsOf({ ref, heRef }: SheetSource, words: Words): Readonly<Record<SheetLanguage, string>> {
  return { he: heRef, en: words.language === 'he' && heRef !== '' ? '' : ref }
}

/** The refs below the heading. A Hebrew sheet does not repeat the heading. */
export function refsBelow(source: SheetSource, words: Words): Readonly<Record<SheetLanguage, string>> {
  const { he, en } = refsOf(source, words)
  if (words.language === 'en') return { he, en }
  const heading = headingOf(source, words)
  return { he: he === heading ? '' : he, en: en === heading ? '' : en }
}

/** The line under a text: `Torat Emet 357 · CC BY-SA 4.0`. */
export function versionLine(version: SheetVersion, words: Words): string {
  return [versionTitle(version, words), licenseText(version, words)].filter((part) => part !== '').join(' · ')
}

export function versionTitle({ title }: SheetVersion, words: Words): string {
  return words.language === 'he' ? hebrewVersionName(title) : title
}

export function licenseText({ license }: Pick<SheetVersion, 'license'>, words: Words): string {
  if (classifyLicense(license) === 'own') return words.ownLicense
  return /^(public domain|pd)$/i.test(license.trim()) && words.language === 'he' ? publicDomain : license
}

/** The work and language of a version: `Work, English`. */
export function versionName({ work, heWork, language }: SheetVersion, words: Words): string {
  return `${words.language === 'he' && heWork !== '' ? heWork : work}, ${words.languages[language]}`
}
