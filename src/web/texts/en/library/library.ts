import { html } from 'hono/html'
import { yearRange } from './dates.ts'

/** Categories of the starter library, which has one word in lower case for each. */
const categories: ReadonlyMap<string, string> = new Map([
  ['concept', 'Concepts'],
  ['person', 'People'],
  ['practice', 'Practices'],
  ['work', 'Books'],
])

/** The works of the library, and one work. */
export const library = {
  breadcrumb: 'Breadcrumb',
  /** Each argument is a count with its noun. */
  size: (works: string, versions: string, texts: string) => `${works} in ${versions}, ${texts}.`,
  licences: 'Each text shows its licence and its source.',
  empty: 'The library is empty',
  missingBook: 'If a book is missing, ask the person who runs this service to add it.',
  /** For operators. */
  addBooks: html`You can add books on the page <a href="/operator/library">Operator, Library</a>.`,
  /** A category of the library in the language of the page, where it has one. */
  categoryName: (name: string) => categories.get(name) ?? name,
  /** The title of a version; the starter library has one in each language. */
  /** A licence as the library has it; what is no name of one is said in words. */
  licenceName: (license: string) => (license === 'own' ? 'text of this library, no public licence' : license),
  versionName: (title: string) => title,
  within: (category: string) => `Within ${category}`,
  filter: 'Filter',
  allWorks: 'All works',
  showAll: 'Show all works',
  moreWorks: 'More works',
  noWorks: 'No works here',
  noWorksHint: 'No work has this author or category.',
  written: 'Written',
  years: ({ from, to }: { readonly from: number; readonly to: number }) =>
    from === to ? yearRange(from, to) : `about ${yearRange(from, to)}`,
  length: 'Length',
  contents: 'Contents',
  versions: 'Versions',
  moreParts: 'More parts',
  moreChapters: 'More chapters',
  allParts: 'All parts',
  version: 'Version',
  passages: 'Passages',
  imported: 'Imported',
  notStated: 'not stated',
  machine: 'Machine translation: ',
}

/** The daily portion of a work. */
export const daily = {
  title: 'Daily portion',
  about: 'A chapter of a work each day, in its order. After the last one the first one follows.',
  none: 'No work chosen yet',
  noneHint: 'Open a work of the library and choose “Read a chapter a day”.',
  works: 'See the works',
  of: (number: number, all: number) => `Day ${number} of ${all}`,
  tomorrow: 'Tomorrow',
  since: 'since',
  missing: 'The library no longer has this work, or it begins on a later day.',
  stop: 'Stop reading this work daily',
  start: 'Read a chapter a day',
  link: 'Link to this reading',
  midnight: 'A day begins at midnight where you are.',
}
